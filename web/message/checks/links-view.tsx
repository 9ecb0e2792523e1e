import { clsx } from "clsx";
import { ExternalLink } from "lucide-react";
import type { ReactElement } from "react";
import badgeStyles from "../../shared/badge.module.css";
import { CopyButton } from "../../shared/copy.tsx";
import { iconButtonClass } from "../../shared/button.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import styles from "./links-view.module.css";
import { uniqueLinks, type FoundLink } from "../message-tabs.ts";

/** Links and images of a message with their full addresses. */
export function LinksView({ message }: { readonly message: Message }): ReactElement {
  const { html } = message;
  const links = uniqueLinks(message);
  return (
    <div className={layout.stack}>
      {links.length > 0 && (
        <section className={clsx(layout.stack, layout.tight)}>
          <h3>{pageStrings.links.links}</h3>
          <ul className={styles.linkList}>
            {links.map((link) => (
              <LinkItem key={link.href} {...link} />
            ))}
          </ul>
        </section>
      )}
      {html.images.length > 0 && (
        <section className={clsx(layout.stack, layout.tight)}>
          <h3>{pageStrings.links.images}</h3>
          <ul className={styles.linkList}>
            {html.images.map(({ src, alt }, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- images can repeat
              <li key={at}>
                <div>
                  <div>{alt === "" ? <span className={layout.faint}>{pageStrings.links.noText}</span> : alt}</div>
                  <div className={clsx(layout.mono, styles.address, layout.soft)}>{src.slice(0, shownLengthMax)}</div>
                </div>
                <span className={badgeStyles.badge}>
                  {isWeb(src) ? pageStrings.links.remote : pageStrings.links.inline}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

/** Longest address that is shown; `data:` URLs can have megabytes. */
const shownLengthMax = 2000;

function LinkItem({ href, text }: FoundLink): ReactElement {
  return (
    <li>
      <div>
        <div>
          {text !== null && text !== href ? text : <span className={layout.faint}>{pageStrings.links.noText}</span>}
        </div>
        <div className={clsx(layout.mono, styles.address, layout.soft)}>{href.slice(0, shownLengthMax)}</div>
      </div>
      <div className={layout.row}>
        <CopyButton text={href} name={text ?? href} />
        {isWeb(href) && (
          <a
            className={iconButtonClass}
            href={href}
            target="_blank"
            rel="noreferrer"
            aria-label={`${pageStrings.links.open} ${href}`}
            title={pageStrings.links.open}
          >
            <ExternalLink size={15} aria-hidden />
          </a>
        )}
      </div>
    </li>
  );
}

/** Returns whether an address is HTTP(S); others, such as `javascript:`, are never clickable. */
function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address);
}
