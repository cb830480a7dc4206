#ifndef PORTICO_NATIVE_H
#define PORTICO_NATIVE_H

#include <stdint.h>

typedef struct { int x, y, width, height; } PorticoRect;

// All of these but portico_later are called by GTK's thread alone.
int portico_prepare(void);
void portico_set_dark(int dark);
int portico_monitors(PorticoRect *out, int max);
void portico_size(int width, int height);
void portico_show(int placed, int x, int y, int min_width, int min_height);
int portico_seen(PorticoRect *out, int *maximised);
void portico_edit(const char *command);
void portico_relabel(char **labels, int count);

// portico_later has GTK's thread call porticoRun with the handle.
void portico_later(uintptr_t handle);

#endif
