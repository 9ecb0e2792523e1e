/** Whether the command palette is open. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

const isOpen = createStore<boolean>(() => false);

/** Opens or closes the command palette. */
export function setPaletteOpen(isShown: boolean): void {
  isOpen.setState(isShown, true);
}

/** Returns whether the command palette is open. */
export function usePaletteOpen(): boolean {
  return useStore(isOpen);
}
