# creg_embed_recipes(OUT recipe...): a source file that holds the recipes' texts, made when CMake
# runs; CMake runs again when one of them changes.
function(creg_embed_recipes out)
  set(entries "")
  foreach(recipe IN LISTS ARGN)
    set(path ${PROJECT_SOURCE_DIR}/recipes/${recipe})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND entries "      {\"${recipe}\", R\"recipe(${text})recipe\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT
       "// Made from recipes/ by cmake/EmbedRecipes.cmake.
#include \"train/recipes.h\"

namespace creg {

const std::vector<Recipe>& shipped_recipes() {
  static const std::vector<Recipe> recipes = {
@entries@  };
  return recipes;
}

}  // namespace creg
" @ONLY)
endfunction()
