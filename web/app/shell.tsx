import { clsx } from "clsx";
import { Menu } from "lucide-react";
import { useState, type ReactElement, type ReactNode } from "react";
import { useHasFailed } from "../api/outage.ts";
import { useServers } from "../api/servers.ts";
import type { LiveState } from "../live/change-stream.ts";
import { Link, navigate } from "../navigation/location.tsx";
import { inboxPath, routePath, type Route } from "../navigation/routes.ts";
import brandStyles from "../shared/brand.module.css";
import { Button, buttonClass } from "../shared/button.tsx";
import layout from "../shared/layout.module.css";
import { lazyPart } from "../shared/lazy-component.ts";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";
import type { Session } from "../wire.ts";
import { Banner } from "./banner.tsx";
import { SessionTools } from "./session-tools.tsx";
import styles from "./shell.module.css";
import { useSignOut } from "../api/session.ts";
import { isAccountRoute, ViewLinks, type Views } from "./views.tsx";

const MenuDrawer = lazyPart(async () => (await import("./menu-drawer.tsx")).MenuDrawer);

/** The bar above every page, and the page. */
export function Shell(props: {
  readonly session: Session;
  readonly route: Route;
  readonly views: Views;
  /** Null on pages that belong to no server. */
  readonly live: LiveState | null;
  readonly onHelp: () => void;
  readonly children: ReactNode;
}): ReactElement {
  const { session, route, views, live, onHelp, children } = props;
  const { serverViews, accountViews } = views;
  const labels = strings.shell;
  const { data: servers } = useServers();
  const isUnknown = "server" in route && servers?.some(({ id }) => id === route.server) === false;
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {strings.skip}
      </a>
      <header className={styles.bar}>
        <Brand />
        <ServerSelect route={route} />
        {serverViews.length > 0 && <ViewLinks label={labels.views} views={serverViews} />}
        <div className={clsx(layout.row, layout.push)}>
          {live !== null && !isUnknown && <LiveIndicator live={live} />}
          <SessionTools session={session} hasAccount={accountViews.length > 0} route={route} onHelp={onHelp} />
          <MenuButton {...views} session={session} onHelp={onHelp} />
        </div>
      </header>
      <Banner route={route} live={live} />
      {isAccountRoute(route) && accountViews.length > 0 ? (
        <div className={styles.railed}>
          <ViewLinks isColumn label={labels.accountViews} views={accountViews} />
          {children}
        </div>
      ) : (
        children
      )}
    </div>
  );
}

/** The bar above a page for keys that cannot load anything: it only signs out. */
export function BareShell({ children }: { readonly children: ReactNode }): ReactElement {
  const signOut = useSignOut();
  return (
    <div className={styles.shell}>
      <header className={styles.bar}>
        <Brand />
        <Button className={layout.push} onClick={signOut}>
          {strings.signIn.out}
        </Button>
      </header>
      {children}
    </div>
  );
}

function Brand(): ReactElement {
  return (
    <Link href="/" className={brandStyles.brand} aria-label={strings.shell.home}>
      <img src={stamp} alt="" />
      <b>{strings.product}</b>
    </Link>
  );
}

/** State of the connection, or that a request failed in an outage and is sent again. */
function LiveIndicator({ live }: { readonly live: LiveState }): ReactElement {
  const hasFailed = useHasFailed();
  const state = hasFailed && live !== "offline" ? "incomplete" : live;
  return (
    <span className={clsx(styles.live, layout.wideOnly)} data-state={state} role="status">
      {strings.shell.live[state]}
    </span>
  );
}

/** Choice of a server on every page: on one of a server it stays on that page, elsewhere it opens the inbox. */
function ServerSelect({ route }: { readonly route: Route }): ReactElement | null {
  const { data: servers = [] } = useServers();
  const current = "server" in route ? route.server : null;
  if (servers.length === 0 && current === null) return null;
  const open = (server: string): void => {
    const isKept = "server" in route && route.kind !== "mail";
    navigate(isKept ? routePath({ ...route, server }) : inboxPath(server));
  };
  return (
    <div className={styles.switcher}>
      <select aria-label={strings.shell.server} value={current ?? ""} onChange={(event) => open(event.target.value)}>
        {current === null && (
          <option value="" disabled>
            {strings.shell.anyServer}
          </option>
        )}
        {current !== null && servers.length > 0 && !servers.some(({ id }) => id === current) && (
          <option value={current}>{strings.shell.unknownServer(current)}</option>
        )}
        {servers.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function MenuButton(props: Omit<Parameters<typeof MenuDrawer>[0], "onClose">): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={clsx(buttonClass(), styles.menuButton)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Menu size={16} aria-hidden />
        {strings.shell.menu}
      </button>
      {isOpen && <MenuDrawer {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Page until the session is known; the same as the one in `index.html`, which is shown until the code is loaded. */
export function FirstPaint(): ReactElement {
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
