//go:build production

// What Wails does not do for a window on GTK 3: hold it back until its first frame, keep the page in place, place the
// window on the screen it was on, and rename its menu.
#include "native_linux.h"

#include <gtk/gtk.h>
#include <string.h>
#include <webkit2/webkit2.h>

extern void porticoRun(uintptr_t handle);
extern void porticoChanged(void);
extern void porticoLink(char *address);

static GtkWindow *window = NULL;
static WebKitWebView *view = NULL;

// own says whether an address is the page's own origin.
static gboolean own(const char *address) {
    return address != NULL && (g_str_has_prefix(address, "wails://wails/") || g_str_has_prefix(address, "about:blank") || g_str_has_prefix(address, "about:srcdoc") || g_str_has_prefix(address, "blob:wails://"));
}

// A link or a dropped file never takes the page's place. Frames within the page may only show what the page makes itself.
static gboolean decide_policy(WebKitWebView *from, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
        return FALSE;
    }
    WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *address = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && own(address)) {
        return FALSE;
    }
    webkit_policy_decision_ignore(decision);
    if (webkit_navigation_action_is_user_gesture(action)) {
        porticoLink((char *)address);
    }
    return TRUE;
}

static gboolean configured(GtkWidget *widget, GdkEvent *event, gpointer data) {
    porticoChanged();
    return FALSE;
}

static void adopt(WebKitWebView *web_view, GtkWindow *top) {
    view = web_view;
    window = top;
    g_signal_connect(web_view, "decide-policy", G_CALLBACK(decide_policy), NULL);
    g_signal_connect(top, "configure-event", G_CALLBACK(configured), NULL);
    g_signal_connect(top, "window-state-event", G_CALLBACK(configured), NULL);
    // Wails shows the whole window and hides it again from an idle callback when it is to start hidden, so that an empty
    // window flashes up. GTK leaves a window alone that is not to be shown with all the rest.
    gtk_widget_set_no_show_all(GTK_WIDGET(top), TRUE);
}

// parent_set sees the moment at which Wails packs the web view into the window, just before it shows it: the only moment
// at which both exist and nothing is on the screen.
static gboolean parent_set(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
    GtkWidget *widget = GTK_WIDGET(g_value_get_object(&values[0]));
    if (WEBKIT_IS_WEB_VIEW(widget)) {
        view = WEBKIT_WEB_VIEW(widget);
    }
    if (view == NULL) {
        return TRUE;
    }
    GtkWidget *top = gtk_widget_get_toplevel(GTK_WIDGET(view));
    if (!GTK_IS_WINDOW(top)) {
        return TRUE;
    }
    adopt(view, GTK_WINDOW(top));
    return FALSE; // seen; the hook goes
}

int portico_prepare(void) {
    g_set_prgname("portico"); // before GTK starts: window managers group windows by it
    gdk_set_program_class("Portico");
    if (!gtk_init_check(NULL, NULL)) {
        return 0;
    }
    g_type_class_unref(g_type_class_ref(GTK_TYPE_WIDGET)); // its signals exist from its first use on
    g_signal_add_emission_hook(g_signal_lookup("parent-set", GTK_TYPE_WIDGET), 0, parent_set, NULL, NULL);
    return 1;
}

void portico_set_dark(int dark) {
    GtkSettings *settings = gtk_settings_get_default();
    if (settings != NULL) {
        g_object_set(settings, "gtk-application-prefer-dark-theme", dark ? TRUE : FALSE, NULL);
    }
}

int portico_monitors(PorticoRect *out, int max) {
    GdkDisplay *display = gdk_display_get_default();
    int count = gdk_display_get_n_monitors(display);
    if (count > max) {
        count = max;
    }
    for (int n = 0; n < count; n++) {
        GdkRectangle area;
        gdk_monitor_get_workarea(gdk_display_get_monitor(display, n), &area);
        out[n] = (PorticoRect){area.x, area.y, area.width, area.height};
    }
    return count;
}

void portico_size(int width, int height) {
    if (window == NULL) {
        return;
    }
    // The children were not shown with the window. They are drawn and laid out in a window that is real but not mapped.
    GtkWidget *child = gtk_bin_get_child(GTK_BIN(window));
    if (child != NULL) {
        gtk_widget_show_all(child);
    }
    gtk_window_resize(window, width, height);
    gtk_widget_realize(GTK_WIDGET(window));
    // WebKit draws no frame, and runs no requestAnimationFrame, for a view that is not mapped. The view is mapped in a
    // window that is not, so that the first frame is there when the window is shown.
    GtkAllocation whole = {0, 0, width, height};
    gtk_widget_size_allocate(GTK_WIDGET(window), &whole);
    gtk_widget_realize(GTK_WIDGET(view));
    gtk_widget_map(GTK_WIDGET(view));
}

void portico_show(int placed, int x, int y, int min_width, int min_height) {
    if (window == NULL) {
        return;
    }
    // Wails bounds the window by the size of one monitor where no maximum is asked for; a wider desktop is not a mistake.
    GdkGeometry least = {.min_width = min_width, .min_height = min_height};
    gtk_window_set_geometry_hints(window, NULL, &least, GDK_HINT_MIN_SIZE);
    if (placed) {
        gtk_window_move(window, x, y);
    }
    gtk_window_present(window);
}

int portico_seen(PorticoRect *out, int *maximised) {
    if (window == NULL || !gtk_widget_get_mapped(GTK_WIDGET(window))) {
        return 0;
    }
    GdkWindowState state = gdk_window_get_state(gtk_widget_get_window(GTK_WIDGET(window)));
    if (state & (GDK_WINDOW_STATE_ICONIFIED | GDK_WINDOW_STATE_WITHDRAWN)) {
        return 0;
    }
    gtk_window_get_position(window, &out->x, &out->y);
    gtk_window_get_size(window, &out->width, &out->height);
    *maximised = (state & (GDK_WINDOW_STATE_MAXIMIZED | GDK_WINDOW_STATE_FULLSCREEN | GDK_WINDOW_STATE_TILED)) != 0;
    return 1;
}

void portico_edit(const char *command) {
    if (view != NULL) {
        webkit_web_view_execute_editing_command(view, command);
    }
}

typedef struct { char **labels; int count, next; } Labels;

static void relabel(GtkWidget *widget, gpointer data) {
    Labels *labels = data;
    if (!GTK_IS_MENU_ITEM(widget) || GTK_IS_SEPARATOR_MENU_ITEM(widget) || labels->next >= labels->count) {
        return;
    }
    gtk_menu_item_set_label(GTK_MENU_ITEM(widget), labels->labels[labels->next++]);
    GtkWidget *below = gtk_menu_item_get_submenu(GTK_MENU_ITEM(widget));
    if (below != NULL) {
        gtk_container_foreach(GTK_CONTAINER(below), relabel, labels);
    }
}

static void find_bar(GtkWidget *widget, gpointer data) {
    if (GTK_IS_MENU_BAR(widget)) {
        gtk_container_foreach(GTK_CONTAINER(widget), relabel, data);
    } else if (GTK_IS_BOX(widget)) {
        gtk_container_foreach(GTK_CONTAINER(widget), find_bar, data);
    }
}

void portico_relabel(char **labels, int count) {
    if (window != NULL) {
        Labels all = {labels, count, 0};
        gtk_container_foreach(GTK_CONTAINER(window), find_bar, &all);
    }
}

static gboolean run(gpointer data) {
    porticoRun((uintptr_t)data);
    return G_SOURCE_REMOVE;
}

void portico_later(uintptr_t handle) { g_idle_add_full(G_PRIORITY_HIGH_IDLE, run, (gpointer)handle, NULL); }
