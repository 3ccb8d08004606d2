# Embeds files in a C file as an array of Source: cmake -DOUT=file.c -DARRAY=device_files
# -DHEADER=its/declaration.h -DPREFIX=of/names/ "-DFILES=a.device;b.device" -P embed.cmake
cmake_minimum_required(VERSION 3.25)
set(text "#include \"${HEADER}\"\n\n")
set(list "")
set(i 0)
foreach(file ${FILES})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char text_${i}[] = {\n${bytes}0};\n")
  get_filename_component(name ${file} NAME)
  string(APPEND list "    {\"${PREFIX}${name}\", (const char *)text_${i}, sizeof text_${i} - 1},\n")
  math(EXPR i "${i} + 1")
endforeach()
string(REGEX REPLACE "s$" "" singular ${ARRAY})
file(WRITE ${OUT}
  "${text}\nconst Source ${ARRAY}[] = {\n${list}};\nconst size_t ${singular}_count = ${i};\n")
