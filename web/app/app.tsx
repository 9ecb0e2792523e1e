import { Suspense, useEffect, useState, type ReactElement } from "react";
import { useUnreadCount } from "../api/marks.ts";
import { permissionsOf } from "../api/permissions.ts";
import { useServers } from "../api/servers.ts";
import { useSession } from "../api/session.ts";
import type { LiveState } from "../live/change-stream.ts";
import { useLive } from "../live/use-live.ts";
import { MailPage } from "../mail/mail-page.tsx";
import { navigate, useMailQuery, useRoute, Link } from "../navigation/location.tsx";
import type { AccountView, Route } from "../navigation/routes.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { lazyComponent } from "../shared/lazy-component.ts";
import { PageFrame, Page } from "../shared/page.tsx";
import stamp from "../shared/stamp.svg";
import stampRead from "../shared/stamp-read.svg";
import { Toasts } from "../shared/toast.tsx";
import { useShortcuts, type Shortcuts } from "../shared/use-shortcuts.ts";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { PaletteHost } from "./palette-host.tsx";
import { BareShell, Shell } from "./shell.tsx";
import styles from "./sign-in-page.module.css";
import { accountViewsOf, serverViewsOf, type View } from "./views.ts";

const SignInPage = lazyComponent(async () => (await import("./sign-in-page.tsx")).SignInPage);
const HelpDialog = lazyComponent(async () => (await import("./help-dialog.tsx")).HelpDialog);
const SearchPage = lazyComponent(async () => (await import("../search/search-page.tsx")).SearchPage);
const ServersPage = lazyComponent(async () => (await import("../servers/servers-page.tsx")).ServersPage);

const serverPages = {
  connect: lazyComponent(async () => (await import("../connect/connect-page.tsx")).ConnectPage),
  activity: lazyComponent(async () => (await import("../activity/activity-page.tsx")).ActivityPage),
  webhooks: lazyComponent(async () => (await import("../webhooks/webhooks-page.tsx")).WebhooksPage),
  faults: lazyComponent(async () => (await import("../faults/faults-page.tsx")).FaultsPage),
  settings: lazyComponent(async () => (await import("../settings/settings-page.tsx")).SettingsPage),
  compose: lazyComponent(async () => (await import("../compose/compose-page.tsx")).ComposePage),
} as const;

const accountPages = {
  keys: lazyComponent(async () => (await import("../account/keys-page.tsx")).KeysPage),
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
  return (
    <Suspense>
      <SignInPage />
    </Suspense>
  );
}

function SignedIn({ session }: { readonly session: Session }): ReactElement {
  const route = useRoute();
  const { direction } = useMailQuery();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = (): void => {
    setHelpOpen(true);
  };
  const views = {
    serverViews: "server" in route ? serverViewsOf(route, direction) : [],
    accountViews: session.server === null ? accountViewsOf(route) : [],
  };
  useShortcuts({
    "?": openHelp,
    "g h": () => navigate("/"),
    ...shortcutsTo([...views.serverViews, ...views.accountViews]),
  });
  useTitle(route);
  const page = (
    <Suspense fallback={<PageFrame isBusy />}>
      <CurrentPage session={session} route={route} />
    </Suspense>
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
      {isHelpOpen && (
        <Suspense>
          <HelpDialog
            {...views}
            onClose={() => {
              setHelpOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}

/** Shortcuts to pages. */
function shortcutsTo(views: readonly View[]): Shortcuts {
  const actions = views.map(({ key, href }) => [
    `g ${key}`,
    () => {
      navigate(href);
    },
  ]);
  return Object.fromEntries(actions) as Shortcuts;
}

function LiveServer(props: {
  readonly server: string;
  readonly children: (live: LiveState) => ReactElement;
}): ReactElement {
  return props.children(useLive(props.server));
}

function CurrentPage({ session, route }: { readonly session: Session; readonly route: Route }): ReactElement {
  const { data: servers } = useServers();
  if (route.kind === "servers") return <ServersPage session={session} />;
  if (route.kind === "search") return <SearchPage />;
  if (route.kind === "not-found") return <NotFoundPage />;
  if ("server" in route && servers?.some(({ id }) => id === route.server) === false) {
    return <NotFoundPage what="server" />;
  }
  if (route.kind === "mail") return <MailPage session={session} {...route} />;
  if (route.kind === "compose" && !permissionsOf(session).canSend) return <NotFoundPage what="compose" />;
  if (!("server" in route)) {
    return session.server === null ? <AccountPage kind={route.kind} /> : <NotFoundPage what="account" />;
  }
  const Page = serverPages[route.kind];
  return <Page session={session} server={route.server} />;
}

function AccountPage({ kind }: { readonly kind: AccountView }): ReactElement {
  const Page = accountPages[kind];
  return <Page />;
}

const titles = {
  ...strings.titles,
  servers: strings.servers.title,
  search: strings.search.title,
  compose: strings.compose.title,
  status: strings.status.title,
  "not-found": strings["not-found"].title,
} as const;

/** Sets the title of the document (number of unread messages, page, server, product), and its icon: with a dot for unread ones. */
function useTitle(route: Route): void {
  const { data: servers } = useServers();
  const id = "server" in route ? route.server : null;
  const server = servers?.find((one) => one.id === id)?.name;
  const unread = useUnreadCount(server === undefined ? null : id);
  useEffect(() => {
    const page = route.kind === "mail" ? undefined : titles[route.kind];
    const title = [page, server, strings.product].filter((part) => part !== undefined).join(" · ");
    const isUnread = unread !== undefined && unread > 0;
    document.title = isUnread ? `(${unread.toLocaleString("en")}) ${title}` : title;
    document.querySelector("link[rel=icon]")?.setAttribute("href", isUnread ? stamp : stampRead);
  }, [route.kind, server, unread]);
}

/** Page until the session is known; the same as the one in `index.html`, which is shown until the code is loaded. */
function FirstPaint(): ReactElement {
  return (
    <div data-first-paint aria-busy="true">
      <header>
        <img src={stamp} alt="" />
        <b>{strings.product}</b>
      </header>
      <p>{strings.loading}</p>
    </div>
  );
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
