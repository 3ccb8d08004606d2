typedef unsigned int GLuint;
typedef unsigned int GLenum;
typedef int GLint;
typedef float GLfloat;
typedef unsigned char GLubyte;
struct GLFWwindow;
struct cudaGraphicsResource;
