#define _POSIX_VERSION 200809L /* headers test for Unix by it */
