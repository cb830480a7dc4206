import { create } from "zustand";

/** The folder whose install is being reviewed, wherever it was chosen or dropped; null: none. */
export const useInstall = create<{ reviewing: string | null; setReviewing(folder: string | null): void }>((set) => ({
  reviewing: null,
  setReviewing: (reviewing) => set({ reviewing }),
}));
