import { lazy, Suspense, useEffect, useState, type ReactElement } from "react";
import { useSession } from "./api/session.ts";
import { useServers } from "./api/servers.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { MailPage } from "./list/mail-page.tsx";
import { useShortcuts } from "./list/use-shortcuts.ts";
import type { LiveState } from "./live/change-stream.ts";
import { useLive } from "./live/use-live.ts";
import { usePlace } from "./navigation/location.tsx";
import type { AccountView as AccountKind, Place } from "./navigation/place.ts";
import { ServersPage } from "./servers/servers-page.tsx";
import { ProblemNote } from "./shared/problem.tsx";
import { Toasts } from "./shared/toast.tsx";
import { Shell } from "./shell.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { strings } from "./strings.ts";
import type { Session } from "./wire.ts";

const ConnectPage = lazy(async () => ({ default: (await import("./connect/connect-page.tsx")).ConnectPage }));
const ComposePage = lazy(async () => ({ default: (await import("./compose/compose-page.tsx")).ComposePage }));
const AddressesPage = lazy(async () => ({
  default: (await import("./account/addresses-page.tsx")).AddressesPage,
}));
const NumbersPage = lazy(async () => ({ default: (await import("./account/numbers-page.tsx")).NumbersPage }));
const AuditPage = lazy(async () => ({ default: (await import("./account/audit-page.tsx")).AuditPage }));
const StatusPage = lazy(async () => ({ default: (await import("./account/status-page.tsx")).StatusPage }));
const PhrasesPage = lazy(async () => ({ default: (await import("./account/phrases-page.tsx")).PhrasesPage }));
const KeysPage = lazy(async () => ({ default: (await import("./keys/keys-page.tsx")).KeysPage }));
const PicturesPage = lazy(async () => ({ default: (await import("./pictures/pictures-page.tsx")).PicturesPage }));
const SettingsPage = lazy(async () => ({ default: (await import("./servers/settings-page.tsx")).SettingsPage }));

const serverPages = {
  connect: ConnectPage,
  pictures: PicturesPage,
  settings: SettingsPage,
  compose: ComposePage,
} as const;

const accountPages = {
  keys: KeysPage,
  addresses: AddressesPage,
  numbers: NumbersPage,
  phrases: PhrasesPage,
  audit: AuditPage,
  status: StatusPage,
} as const;

/** The whole UI. */
export function App(): ReactElement {
  const { data: session, error, refetch } = useSession();
  if (error !== null) {
    return (
      <main className="sign-in">
        <ProblemNote error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (session === undefined) return <></>;
  return session === null ? <SignInPage /> : <SignedIn session={session} />;
}

function SignedIn({ session }: { readonly session: Session }): ReactElement {
  const place = usePlace();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts({
    "?": () => {
      setHelpOpen(true);
    },
  });
  useTitle(place);
  const page = (
    <Suspense fallback={<main className="page" id="content" aria-busy />}>
      <Page session={session} place={place} />
    </Suspense>
  );
  const onHelp = (): void => {
    setHelpOpen(true);
  };
  return (
    <>
      {"server" in place ? (
        <LiveServer key={place.server} server={place.server}>
          {(live) => (
            <Shell session={session} place={place} live={live} onHelp={onHelp}>
              {page}
            </Shell>
          )}
        </LiveServer>
      ) : (
        <Shell session={session} place={place} live={null} onHelp={onHelp}>
          {page}
        </Shell>
      )}
      <Toasts />
      {isHelpOpen && (
        <HelpDialog
          onClose={() => {
            setHelpOpen(false);
          }}
        />
      )}
    </>
  );
}

function LiveServer(props: {
  readonly server: string;
  readonly children: (live: LiveState) => ReactElement;
}): ReactElement {
  return props.children(useLive(props.server));
}

function Page({ session, place }: { readonly session: Session; readonly place: Place }): ReactElement {
  if (place.kind === "servers") return <ServersPage session={session} />;
  if (place.kind === "mail") return <MailPage session={session} {...place} />;
  if (!("server" in place)) return <AccountView kind={place.kind} />;
  const View = serverPages[place.kind];
  return <View session={session} server={place.server} />;
}

function AccountView({ kind }: { readonly kind: AccountKind }): ReactElement {
  const View = accountPages[kind];
  return <View />;
}

/** The window's title: which server, which view. */
function useTitle(place: Place): void {
  const { data: servers } = useServers();
  const name = "server" in place ? servers?.find(({ id }) => id === place.server)?.name : undefined;
  useEffect(() => {
    const view = place.kind === "mail" ? undefined : strings[place.kind].title;
    document.title = [view, name, strings.product].filter((part) => part !== undefined).join(" · ");
  }, [place.kind, name]);
}
