# Decides whether this build has a window. Sets TRI_HAVE_GUI, and TRI_GUI_REASON (one phrase for the summary). Makes the
# targets that render/ and app/gui/ link: tri::gl (loader of OpenGL 4.5 core, generated), tri::imgui, PNG::PNG. GLFW, libGL
# and libEGL are not among them: they are loaded at run time, so that the program starts without them.
set(TRI_HAVE_GUI OFF)
if(TRI_GUI STREQUAL "OFF")
  set(TRI_GUI_REASON "TRI_GUI=OFF")
  return()
endif()

set(gui_missing "")
find_package(glfw3 3.3 QUIET)
find_path(TRI_GLFW_INCLUDE GLFW/glfw3.h)
if(NOT glfw3_FOUND OR NOT TRI_GLFW_INCLUDE)
  list(APPEND gui_missing libglfw3-dev)
endif()
find_package(PNG QUIET)
if(NOT PNG_FOUND)
  list(APPEND gui_missing libpng-dev)
endif()
find_path(TRI_GLM_INCLUDE glm/glm.hpp)
find_path(TRI_EGL_INCLUDE EGL/egl.h)
find_path(TRI_IMGUI_INCLUDE imgui.h PATH_SUFFIXES imgui)
find_library(TRI_IMGUI_LIBRARY imgui)
find_library(TRI_STB_LIBRARY stb)  # Debian's ImGui needs it for fonts
find_program(TRI_GLAD glad)
# The letters of the window are part of the program (app/gui/base/look.hpp), and need no font where it runs.
set(fonts /usr/share/fonts /usr/local/share/fonts)
find_file(TRI_FONT_REGULAR Inter-Regular.otf PATHS ${fonts} PATH_SUFFIXES opentype/inter inter NO_DEFAULT_PATH)
find_file(TRI_FONT_SEMIBOLD Inter-SemiBold.otf PATHS ${fonts} PATH_SUFFIXES opentype/inter inter NO_DEFAULT_PATH)
find_file(TRI_FONT_CODE DejaVuSansMono.ttf PATHS ${fonts} PATH_SUFFIXES truetype/dejavu dejavu NO_DEFAULT_PATH)
# STIX Two since Debian 14.
set(stix PATHS ${fonts} PATH_SUFFIXES opentype/stix-word opentype/stix stix NO_DEFAULT_PATH)
find_file(TRI_FONT_FORMULA NAMES STIX-Italic.otf STIXTwoText-Italic.otf ${stix})
find_file(TRI_FONT_UPRIGHT NAMES STIX-Regular.otf STIXTwoMath-Regular.otf ${stix})
find_file(TRI_FONT_ICONS MaterialIcons-Regular.ttf PATHS ${fonts} NO_DEFAULT_PATH
          PATH_SUFFIXES truetype/material-design-icons-iconfont material-design-icons)
mark_as_advanced(TRI_GLFW_INCLUDE TRI_GLM_INCLUDE TRI_EGL_INCLUDE TRI_IMGUI_INCLUDE TRI_IMGUI_LIBRARY TRI_STB_LIBRARY TRI_GLAD
                 TRI_FONT_REGULAR TRI_FONT_SEMIBOLD TRI_FONT_FORMULA TRI_FONT_UPRIGHT TRI_FONT_ICONS TRI_FONT_CODE)
foreach(found IN ITEMS TRI_GLM_INCLUDE=libglm-dev TRI_EGL_INCLUDE=libegl-dev TRI_IMGUI_INCLUDE=libimgui-dev
                       TRI_IMGUI_LIBRARY=libimgui-dev TRI_GLAD=python3-glad TRI_FONT_REGULAR=fonts-inter
                       TRI_FONT_SEMIBOLD=fonts-inter TRI_FONT_FORMULA=fonts-stix TRI_FONT_UPRIGHT=fonts-stix
                       TRI_FONT_ICONS=fonts-material-design-icons-iconfont TRI_FONT_CODE=fonts-dejavu-core)
  string(REPLACE "=" ";" found "${found}")
  list(GET found 0 variable)
  list(GET found 1 package)
  if(NOT ${variable})
    list(APPEND gui_missing ${package})
  endif()
endforeach()

if(gui_missing)
  list(REMOVE_DUPLICATES gui_missing)
  list(JOIN gui_missing " " gui_missing)
  if(TRI_GUI STREQUAL "ON")
    message(FATAL_ERROR "TRI_GUI=ON, but these packages are not here: ${gui_missing}\n"
                        "On Debian or Ubuntu:\n    sudo apt-get install ${gui_missing}\n"
                        "Or take TRI_GUI=AUTO; the command line is complete without a window.")
  endif()
  set(TRI_GUI_REASON "not found: ${gui_missing}")
  return()
endif()

# The loader covers OpenGL 4.5 core and one extension (driver messages); nothing is downloaded.
set(glad_folder "${PROJECT_BINARY_DIR}/glad")
add_custom_command(
  OUTPUT "${glad_folder}/src/gl.c" "${glad_folder}/include/glad/gl.h"
  COMMAND "${TRI_GLAD}" --api gl:core=4.5 --extensions GL_KHR_debug --reproducible --quiet --out-path "${glad_folder}" c
  COMMENT "Generating the loader of OpenGL 4.5 core" VERBATIM)
set_source_files_properties("${glad_folder}/src/gl.c" PROPERTIES LANGUAGE CXX)
add_library(tri_gl STATIC "${glad_folder}/src/gl.c" "${glad_folder}/include/glad/gl.h")
add_library(tri::gl ALIAS tri_gl)
target_include_directories(tri_gl SYSTEM PUBLIC "${glad_folder}/include" "${TRI_GLM_INCLUDE}")
target_compile_options(tri_gl PRIVATE -w)

add_library(tri_imgui INTERFACE)
add_library(tri::imgui ALIAS tri_imgui)
target_include_directories(tri_imgui SYSTEM INTERFACE "${TRI_IMGUI_INCLUDE}" "${TRI_IMGUI_INCLUDE}/backends")
target_link_libraries(tri_imgui INTERFACE "${TRI_IMGUI_LIBRARY}" tri_glfw ${CMAKE_DL_LIBS})
if(TRI_STB_LIBRARY)
  target_link_libraries(tri_imgui INTERFACE "${TRI_STB_LIBRARY}")
endif()

set(TRI_HAVE_GUI ON)
set(TRI_GUI_REASON "GLFW ${glfw3_VERSION}, OpenGL 4.5; opens where there is a display")
