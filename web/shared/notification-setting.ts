/** Desktop notifications: whether the user wants them, remembered by this browser, and whether it allows them. */
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { storedText, storeText } from "./stored-text.ts";

const storageKey = "restante.notifications";
/** A new object for each choice: the permission of the browser may change with it. */
const wanted = createStore<{ readonly isWanted: boolean }>(() => ({ isWanted: storedText(storageKey) === "on" }));

/** Whether desktop notifications are shown: they can be switched on (`off`) or are `blocked`. */
export type NotificationState = "on" | "off" | "blocked";

/**
 * Returns the state of desktop notifications and a function that switches them, which resolves with the new state; null where
 * the browser has none, as on pages over HTTP under another name than localhost. Only switching them on asks for permission.
 */
export function useNotifications(): readonly [NotificationState, () => Promise<NotificationState>] | null {
  const { isWanted } = useStore(wanted);
  if (!hasNotifications()) return null;
  return [stateOf(isWanted), async () => switchTo(!(isWanted && Notification.permission === "granted"))];
}

/** Returns whether desktop notifications are on. */
export function areNotificationsOn(): boolean {
  return hasNotifications() && stateOf(wanted.getState().isWanted) === "on";
}

/** Calls `onSwitch` whenever notifications are switched on or off; returns a function that ends this. */
export function watchNotifications(onSwitch: () => void): () => void {
  return wanted.subscribe(onSwitch);
}

async function switchTo(isWanted: boolean): Promise<NotificationState> {
  const isAllowed = isWanted && (await Notification.requestPermission()) === "granted";
  wanted.setState({ isWanted: isAllowed });
  storeText(storageKey, isAllowed ? "on" : "off");
  return stateOf(isAllowed);
}

function stateOf(isWanted: boolean): NotificationState {
  if (Notification.permission === "denied") return "blocked";
  return isWanted && Notification.permission === "granted" ? "on" : "off";
}

function hasNotifications(): boolean {
  return "Notification" in globalThis && isSecureContext;
}
