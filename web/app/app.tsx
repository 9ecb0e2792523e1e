import { type ReactElement, Suspense, useEffect, useRef, useState } from "react";
import { usePermissions } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import type { LiveState } from "../live/change-stream.ts";
import { useLive } from "../live/use-live.ts";
import { MailPage } from "../mail/mail-page.tsx";
import { Link, navigate, useMailQuery, useRoute } from "../navigation/location.tsx";
import { type AccountView, inboxPath, type Route, routePath } from "../navigation/routes.ts";
import { lazyComponent, lazyPart } from "../shared/lazy-component.ts";
import { ErrorNotice } from "../shared/notice.tsx";
import { Page, PageFrame } from "../shared/page.tsx";
import { Toasts } from "../shared/toast.tsx";
import { type Shortcuts, useShortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { PageBoundary } from "./page-boundary.tsx";
import { PaletteHost } from "./palette-host.tsx";
import { BareShell, FirstPaint, Shell } from "./shell.tsx";
import styles from "./sign-in-page.module.css";
import { accountViewsOf, serverViewsOf, useTitle, type View } from "./views.tsx";

const SignInPage = lazyPart(async () => (await import("./sign-in-page.tsx")).SignInPage);

const HelpDialog = lazyPart(async () => (await import("./help-dialog.tsx")).HelpDialog);

const SearchPage = lazyComponent(async () => (await import("../search/search-page.tsx")).SearchPage);

const ServersPage = lazyComponent(async () => (await import("../servers/servers-page.tsx")).ServersPage);

const serverPages = {
  connect: lazyComponent(async () => (await import("../connect/connect-page.tsx")).ConnectPage),
  activity: lazyComponent(async () => (await import("../activity/activity-page.tsx")).ActivityPage),
  webhooks: lazyComponent(async () => (await import("../webhooks/webhooks-page.tsx")).WebhooksPage),
  faults: lazyComponent(async () => (await import("../faults/faults-page.tsx")).FaultsPage),
  settings: lazyComponent(async () => (await import("../settings/settings-page.tsx")).SettingsPage),
  compose: lazyComponent(async () => (await import("../compose/compose-page.tsx")).ComposePage),
  translations: lazyComponent(async () => (await import("../translations/translations-page.tsx")).TranslationsPage),
} as const;

const accountPages = {
  users: lazyComponent(async () => (await import("../people/users-page.tsx")).UsersPage),
  teams: lazyComponent(async () => (await import("../people/teams-page.tsx")).TeamsPage),
  keys: lazyComponent(async () => (await import("../keys/key-table.tsx")).KeysPage),
  addresses: lazyComponent(async () => (await import("../account/addresses-page.tsx")).AddressesPage),
  numbers: lazyComponent(async () => (await import("../account/numbers-page.tsx")).NumbersPage),
  phrases: lazyComponent(async () => (await import("../account/phrases-page.tsx")).PhrasesPage),
  "service-faults": lazyComponent(async () => (await import("../faults/faults-page.tsx")).ServiceFaultsPage),
  devices: lazyComponent(async () => (await import("../account/devices-page.tsx")).DevicesPage),
  usage: lazyComponent(async () => (await import("../account/usage-page.tsx")).UsagePage),
  audit: lazyComponent(async () => (await import("../account/audit-page.tsx")).AuditPage),
  status: lazyComponent(async () => (await import("../account/status-page.tsx")).StatusPage),
} as const;

/** The whole UI: the sign-in page, or the pages of the session. */
export function App(): ReactElement {
  const { data: session, error, refetch } = useSession();
  if (error !== null) {
    return (
      <main className={styles.signIn}>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </main>
    );
  }
  if (session === undefined) return <FirstPaint />;
  // A key that may only send cannot load what the pages show.
  if (session?.scope === "send") {
    return (
      <BareShell>
        <NotFoundPage what="content" />
      </BareShell>
    );
  }
  if (session !== null) return <SignedIn session={session} />;
  return <SignInPage />;
}

function SignedIn({ session }: { readonly session: Session }): ReactElement {
  const route = useRoute();
  const { direction } = useMailQuery();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = (): void => setHelpOpen(true);
  const views = {
    serverViews: "server" in route ? serverViewsOf(route, direction) : [],
    accountViews: accountViewsOf(session, route),
  };
  useShortcuts({
    "?": openHelp,
    "g h": () => navigate("/"),
    ...shortcutsTo([...views.serverViews, ...views.accountViews]),
  });
  useTitle(route);
  useOnlyServer(route);
  const page = (
    <PageBoundary address={routePath(route)}>
      <Suspense fallback={<PageFrame isBusy />}>
        <CurrentPage session={session} route={route} accountViews={views.accountViews} />
      </Suspense>
    </PageBoundary>
  );
  const shell = (live: LiveState | null): ReactElement => (
    <Shell session={session} route={route} views={views} live={live} onHelp={openHelp}>
      {page}
    </Shell>
  );
  return (
    <>
      {"server" in route ? (
        <LiveServer key={route.server} server={route.server}>
          {shell}
        </LiveServer>
      ) : (
        shell(null)
      )}
      <Toasts />
      <PaletteHost route={route} views={views} onHelp={openHelp} />
      {isHelpOpen && <HelpDialog {...views} onClose={() => setHelpOpen(false)} />}
    </>
  );
}

/**
 * Leads to the inbox of a key's only server when the UI is opened at the list of servers. The list stays there for links to it:
 * it creates servers.
 */
function useOnlyServer({ kind }: Route): void {
  const { data: servers } = useServers();
  const isOpened = useRef(kind === "servers");
  useEffect(() => {
    if (!isOpened.current || servers === undefined) return;
    isOpened.current = false;
    const [only, ...others] = servers;
    if (kind === "servers" && only !== undefined && others.length === 0)
      navigate(inboxPath(only.id), { replace: true });
  }, [servers, kind]);
}

/** Shortcuts to pages. */
function shortcutsTo(views: readonly View[]): Shortcuts {
  const actions = views.map(({ key, href }) => [`g ${key}`, () => navigate(href)]);
  return Object.fromEntries(actions) as Shortcuts;
}

function LiveServer(props: {
  readonly server: string;
  readonly children: (live: LiveState) => ReactElement;
}): ReactElement {
  return props.children(useLive(props.server));
}

function CurrentPage(props: {
  readonly session: Session;
  readonly route: Route;
  readonly accountViews: readonly View[];
}): ReactElement {
  const { session, route, accountViews } = props;
  const missing = useMissing(route);
  if (route.kind === "servers") return <ServersPage session={session} />;
  if (route.kind === "search") return <SearchPage />;
  if (route.kind === "not-found") return <NotFoundPage />;
  if (missing !== null) return <NotFoundPage what={missing} />;
  if (route.kind === "mail") return <MailPage session={session} {...route} />;
  if (!("server" in route)) {
    const isAllowed = accountViews.some(({ isCurrent }) => isCurrent);
    return isAllowed ? <AccountPage kind={route.kind} /> : <NotFoundPage what="account" />;
  }
  const Page = serverPages[route.kind];
  return <Page session={session} server={route.server} />;
}

/** Returns what a route of a server lacks, once the servers are known; null for a page that can be shown. */
function useMissing(route: Route): "server" | "compose" | null {
  const { data: servers } = useServers();
  const { canSend } = usePermissions();
  if (!("server" in route) || servers === undefined) return null;
  if (!servers.some(({ id }) => id === route.server)) return "server";
  return route.kind === "compose" && !canSend ? "compose" : null;
}

function AccountPage({ kind }: { readonly kind: AccountView }): ReactElement {
  const Page = accountPages[kind];
  return <Page />;
}

/** Page at an address without one: an unknown path or server, or pages that the key of the session has no access to. */
function NotFoundPage(props: { readonly what?: "page" | "server" | "account" | "compose" | "content" }): ReactElement {
  const { what = "page" } = props;
  const labels = strings["not-found"];
  const [title, lead] = {
    page: [labels.title, labels.lead] as const,
    server: [labels.server, labels.serverLead] as const,
    account: [labels.account, labels.accountLead] as const,
    compose: [labels.compose, labels.composeLead] as const,
    content: [labels.content, labels.contentLead] as const,
  }[what];
  return (
    <Page title={title} lead={lead}>
      {what !== "content" && (
        <p>
          <Link href="/">{labels.home}</Link>
        </p>
      )}
    </Page>
  );
}
