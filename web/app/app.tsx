import { lazy, Suspense, useEffect, useState, type ReactElement } from "react";
import { useSession } from "../api/session.ts";
import { useServers } from "../api/servers.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { MailPage } from "../mail/mail-page.tsx";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import type { LiveState } from "../live/change-stream.ts";
import { useLive } from "../live/use-live.ts";
import { useRoute } from "../navigation/location.tsx";
import type { AccountView as AccountKind, Route } from "../navigation/place.ts";
import { ServersPage } from "../servers/servers-page.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { Toasts } from "../shared/toast.tsx";
import { Shell } from "./shell.tsx";
import { SignInPage } from "./sign-in-page.tsx";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";

const ConnectPage = lazy(async () => ({ default: (await import("../connect/connect-page.tsx")).ConnectPage }));
const ComposePage = lazy(async () => ({ default: (await import("../compose/compose-page.tsx")).ComposePage }));
const AddressesPage = lazy(async () => ({
  default: (await import("../account/addresses-page.tsx")).AddressesPage,
}));
const NumbersPage = lazy(async () => ({ default: (await import("../account/numbers-page.tsx")).NumbersPage }));
const AuditPage = lazy(async () => ({ default: (await import("../account/audit-page.tsx")).AuditPage }));
const StatusPage = lazy(async () => ({ default: (await import("../account/status-page.tsx")).StatusPage }));
const PhrasesPage = lazy(async () => ({ default: (await import("../account/phrases-page.tsx")).PhrasesPage }));
const KeysPage = lazy(async () => ({ default: (await import("../account/keys-page.tsx")).KeysPage }));
const ActivityPage = lazy(async () => ({ default: (await import("../activity/activity-page.tsx")).ActivityPage }));
const SettingsPage = lazy(async () => ({ default: (await import("../settings/settings-page.tsx")).SettingsPage }));

const serverPages = {
  connect: ConnectPage,
  pictures: ActivityPage,
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
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (session === undefined) return <></>;
  return session === null ? <SignInPage /> : <SignedIn session={session} />;
}

function SignedIn({ session }: { readonly session: Session }): ReactElement {
  const route = useRoute();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts({
    "?": () => {
      setHelpOpen(true);
    },
  });
  useTitle(route);
  const page = (
    <Suspense fallback={<main className="page" id="content" aria-busy />}>
      <Page session={session} route={route} />
    </Suspense>
  );
  const onHelp = (): void => {
    setHelpOpen(true);
  };
  return (
    <>
      {"server" in route ? (
        <LiveServer key={route.server} server={route.server}>
          {(live) => (
            <Shell session={session} route={route} live={live} onHelp={onHelp}>
              {page}
            </Shell>
          )}
        </LiveServer>
      ) : (
        <Shell session={session} route={route} live={null} onHelp={onHelp}>
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

function Page({ session, route }: { readonly session: Session; readonly route: Route }): ReactElement {
  if (route.kind === "servers") return <ServersPage session={session} />;
  if (route.kind === "mail") return <MailPage session={session} {...route} />;
  if (!("server" in route)) return <AccountView kind={route.kind} />;
  const View = serverPages[route.kind];
  return <View session={session} server={route.server} />;
}

function AccountView({ kind }: { readonly kind: AccountKind }): ReactElement {
  const View = accountPages[kind];
  return <View />;
}

/** The window's title: which server, which view. */
function useTitle(route: Route): void {
  const { data: servers } = useServers();
  const name = "server" in route ? servers?.find(({ id }) => id === route.server)?.name : undefined;
  useEffect(() => {
    const view = route.kind === "mail" ? undefined : strings[route.kind].title;
    document.title = [view, name, strings.product].filter((part) => part !== undefined).join(" · ");
  }, [route.kind, name]);
}
