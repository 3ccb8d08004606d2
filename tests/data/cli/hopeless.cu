#error no configuration of this one compiles
