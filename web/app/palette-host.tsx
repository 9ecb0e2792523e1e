import { type ReactElement, Suspense, useEffect, useState } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { usePermissions } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { addressOf } from "../base-path.ts";
import { navigate } from "../navigation/location.tsx";
import { type Route, routePath } from "../navigation/routes.ts";
import type { Action, PalettePage, Typed } from "../palette/commands.ts";
import fieldStyles from "../shared/field.module.css";
import { lazyComponent } from "../shared/lazy-component.ts";
import { useTheme } from "../shared/theme.ts";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import styles from "./shell.module.css";
import { useSignOut } from "../api/session.ts";
import type { Views } from "./views.tsx";

const Palette = lazyComponent(async () => (await import("../palette/palette.tsx")).Palette);
const CreateServerDialog = lazyComponent(
  async () => (await import("../servers/create-server-dialog.tsx")).CreateServerDialog,
);

const nothingTyped: Typed = { text: "", isEntered: false };

/** The command palette, which Ctrl+K (⌘K) opens and closes, with the pages and actions of the session. */
export function PaletteHost(props: {
  readonly route: Route;
  readonly views: Views;
  readonly onHelp: () => void;
}): ReactElement {
  const { route, views, onHelp } = props;
  const isOpen = useStore(paletteOpen);
  const [isCreating, setCreating] = useState(false);
  const [typed, setTyped] = useState(nothingTyped);
  usePaletteKeys(isOpen);
  if (!isOpen && typed !== nothingTyped) setTyped(nothingTyped);
  const close = (): void => setPaletteOpen(false);
  const pages = usePages(route, views);
  const actions = useActions(route, {
    onHelp,
    onCreateServer: () => setCreating(true),
  });
  return (
    <Suspense fallback={isOpen && <LoadingPalette typed={typed} onType={setTyped} onClose={close} />}>
      {isOpen && <Palette pages={pages} actions={actions} typed={typed} onClose={close} />}
      {isCreating && <CreateServerDialog onClose={() => setCreating(false)} />}
    </Suspense>
  );
}

/**
 * Takes what is typed while the code of the palette loads, so that it does not reach the shortcuts of the page. Without the
 * component of dialogs, which the first view does not contain.
 */
function LoadingPalette(props: {
  readonly typed: Typed;
  readonly onType: (typed: Typed) => void;
  readonly onClose: () => void;
}): ReactElement {
  const { typed, onType, onClose } = props;
  return (
    <div role="dialog" aria-modal aria-busy aria-label={strings.palette.title} className={styles.loadingPalette}>
      <input
        ref={(input) => input?.focus({ preventScroll: true })}
        className={fieldStyles.input}
        aria-label={strings.palette.label}
        value={typed.text}
        onChange={(event) => onType({ text: event.target.value, isEntered: false })}
        onKeyDown={({ key }) => {
          if (key === "Escape") onClose();
          else if (key === "Enter") onType({ ...typed, isEntered: true });
        }}
      />
    </div>
  );
}

function useActions(
  route: Route,
  { onHelp, onCreateServer }: { readonly onHelp: () => void; readonly onCreateServer: () => void },
): readonly Action[] {
  const { canAdminister, canSend } = usePermissions();
  const [theme, selectNextTheme] = useTheme();
  const signOut = useSignOut();
  const compose = (server: string): Action => ({
    name: strings.shell.compose,
    run: () => navigate(routePath({ kind: "compose", server })),
  });
  return [
    ...("server" in route && canSend ? [compose(route.server)] : []),
    ...(canAdminister ? [{ name: strings.servers.create, run: onCreateServer }] : []),
    { name: strings.palette.theme(strings.theme.names[theme]), run: selectNextTheme },
    { name: strings.shell.help, run: onHelp },
    {
      name: strings.shell.apiReference,
      run: () => window.open(addressOf("/docs"), "_blank", "noreferrer"),
    },
    { name: strings.signIn.out, run: signOut },
  ];
}

/** Handles Ctrl+K everywhere except in other dialogs; `p` also works while a mail has the focus, which keeps Ctrl to itself. */
function usePaletteKeys(isOpen: boolean): void {
  useShortcuts({
    p: () => setPaletteOpen(true),
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== "k" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      if (!isOpen && document.querySelector("[role=dialog]") !== null) return;
      event.preventDefault();
      setPaletteOpen(!isOpen);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [isOpen]);
}

function usePages(route: Route, { serverViews, accountViews }: Views): readonly PalettePage[] {
  const { data: servers } = useServers();
  const server = "server" in route ? servers?.find(({ id }) => id === route.server)?.name : undefined;
  return [
    { name: strings.servers.title, note: "", href: routePath({ kind: "servers" }) },
    { name: strings.search.title, note: "", href: routePath({ kind: "search" }) },
    ...serverViews.map(({ name, href }) => ({ name, href, note: server ?? "" })),
    ...accountViews.map(({ name, href }) => ({ name, href, note: strings.shell.account })),
  ];
}

/** Whether the command palette is open. */
const paletteOpen = createStore<boolean>(() => false);

/** Opens or closes the command palette. */
export function setPaletteOpen(isShown: boolean): void {
  paletteOpen.setState(isShown, true);
}
