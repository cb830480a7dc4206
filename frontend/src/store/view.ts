import { create } from "zustand";

interface View {
  palette: boolean;
  sidebar: boolean;
  setPalette(open: boolean): void;
  toggleSidebar(): void;
}

/** What of the window is open. */
export const useView = create<View>((set) => ({
  palette: false,
  sidebar: true,
  setPalette: (palette) => set({ palette }),
  toggleSidebar: () => set((s) => ({ sidebar: !s.sidebar })),
}));
