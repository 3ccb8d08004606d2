namespace cub {}    // the header includes cub for its host code only
