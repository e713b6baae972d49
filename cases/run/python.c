/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads Python and the functions of python_classes.py; see python.h. Only functions of Python's stable interface
 * (PEP 384) are called, by name, so that neither its headers nor its version matter. */
#include "cases/run/python.h"

#include <dlfcn.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum { LINE_MAX_BYTES = 4096, FILE_INPUT = 257 /* Py_file_input */ };

extern const char sb_python_classes_text[];

/* Functions of Python. */
typedef struct {
  int (*is_initialized)(void);
  void (*initialize)(int handles_signals);
  void *(*release_thread)(void);
  int (*lock)(void);
  void (*unlock)(int state);
  void *(*compile)(const char *text, const char *file, int start);
  void *(*execute)(const char *module, void *code);
  void (*print_error)(void);
  wchar_t *(*decode)(const char *text, size_t *length);
  void (*set_program_name)(const wchar_t *name); /* NULL from Python 3.15 on, whose default is the same in most cases */
} interpreter;

/* False if one of the functions is missing there; `library` as for dlsym. */
static bool find_functions(void *library, interpreter *p)
{
  const struct {
    const char *name;
    void       *at;
  } needed[] = {{"Py_IsInitialized", &p->is_initialized},
                {"Py_InitializeEx", &p->initialize},
                {"PyEval_SaveThread", &p->release_thread},
                {"PyGILState_Ensure", &p->lock},
                {"PyGILState_Release", &p->unlock},
                {"Py_CompileString", &p->compile},
                {"PyImport_ExecCodeModule", &p->execute},
                {"PyErr_Print", &p->print_error},
                {"Py_DecodeLocale", &p->decode}};
  bool all = true;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i) {
    void *const function = dlsym(library, needed[i].name);
    memcpy(needed[i].at, &function, sizeof function);
    all = all && function;
  }
  void *const optional = dlsym(library, "Py_SetProgramName");
  memcpy(&p->set_program_name, &optional, sizeof optional);
  return all;
}

/* Reads one line of `from` without its end; false if there is none. */
static bool read_line(FILE *from, char line[LINE_MAX_BYTES])
{
  if (!fgets(line, LINE_MAX_BYTES, from)) return false;
  line[strcspn(line, "\n")] = '\0';
  return true;
}

/* Loads the library of the user's python3. Extension modules look for its symbols among those of all. */
static bool load_library(interpreter *p, char executable[LINE_MAX_BYTES], char *error, size_t size)
{
  static const char question[] =
      "python3 -I -S -c 'import sys, sysconfig as s; v = s.get_config_var\n"
      "print(sys.executable, v(\"py_version_short\"), *(d + \"/\" + v(\"INSTSONAME\") for d in "
      "(v(\"LIBDIR\"), sys.base_prefix + \"/lib\")), sep=\"\\n\")' 2>/dev/null";
  char  version[LINE_MAX_BYTES] = "", path[LINE_MAX_BYTES] = "";
  void *library = NULL;
  FILE *answer = popen(question, "r");
  bool  good = answer && read_line(answer, executable) && read_line(answer, version);
  while (good && !library && read_line(answer, path)) library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  good = answer && pclose(answer) == 0 && good;
  if (!good)
    snprintf(error, size, "a plug-in in Python needs a `python3` in PATH (Debian's packages python3, python3-numpy)");
  else if (!library)
    snprintf(error, size, "%s has no shared library %s (Debian's package libpython%s)", executable,
             strrchr(path, '/') ? strrchr(path, '/') + 1 : "", version);
  else if (!(good = find_functions(library, p)))
    snprintf(error, size, "%s lacks functions of Python 3", path);
  return good && library;
}

/* Starts an interpreter as `executable`, whose folder leads it to a virtual environment, without a lock on it. Locale
 * and signals stay as they are. */
static void initialize(const interpreter *p, const char *executable)
{
  SB_OWNED char *locale = sb_copy_text(setlocale(LC_CTYPE, NULL));
  wchar_t *const name = p->decode(executable, NULL); /* Python keeps it */
  if (p->set_program_name && name) p->set_program_name(name);
  p->initialize(0);
  (void)setlocale(LC_CTYPE, locale);
  (void)p->release_thread();
}

/* Executes python_classes.py, which fills *functions. */
static bool fill(const interpreter *p, sb_python *functions)
{
  SB_OWNED char *text = sb_format("%s\nfill(%ju)\n", sb_python_classes_text, (uintmax_t)(uintptr_t)functions);
  const int      state = p->lock();
  void          *code = p->compile(text, "<springbench/python_classes.py>", FILE_INPUT);
  const bool     good = code && p->execute("springbench_python_classes", code);
  if (!good) p->print_error();
  p->unlock(state);
  return good;
}

static sb_python functions; /* of this process, as the interpreter is */

const sb_python *sb_python_functions(void) { return &functions; }

const sb_python *sb_python_start(char *error, size_t error_size)
{
  char        executable[LINE_MAX_BYTES] = "python3";
  interpreter p;
  if (functions.create) return &functions;
  if (!find_functions(RTLD_DEFAULT, &p) && !load_library(&p, executable, error, error_size)) return NULL;
  if (!p.is_initialized()) initialize(&p, executable);
  if (fill(&p, &functions)) return &functions;
  snprintf(error, error_size, "%s cannot run plug-ins: its error is printed above (they need its module ctypes)",
           executable);
  return NULL;
}
