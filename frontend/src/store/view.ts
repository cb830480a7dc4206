import { create } from "zustand";

/** Below this width, at the size of 100 %, the sidebar makes room; it opens over the page then. */
export const narrowWidth = 900;

/** Larger letters make a window narrower. */
export const isNarrow = (): boolean => innerWidth / (Number(document.documentElement.style.getPropertyValue("--z")) || 1) < narrowWidth;

interface View {
  palette: boolean;
  /** The sidebar of a wide window, and the one over the page of a narrow one. */
  sidebar: boolean;
  drawer: boolean;
  setPalette(open: boolean): void;
  setDrawer(open: boolean): void;
  toggleSidebar(): void;
}

/** What of the window is open. */
export const useView = create<View>((set) => ({
  palette: false,
  sidebar: true,
  drawer: false,
  setPalette: (palette) => set({ palette }),
  setDrawer: (drawer) => set({ drawer }),
  toggleSidebar: () => set((s) => (isNarrow() ? { drawer: !s.drawer } : { sidebar: !s.sidebar })),
}));
