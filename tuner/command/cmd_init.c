int cmd_init(int argc, char **argv);
int cmd_init(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}
int cmd_convert(int argc, char **argv);
int cmd_convert(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 0;
}
