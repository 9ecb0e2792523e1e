import { ExternalLink } from "lucide-react";
import type { ReactElement } from "react";
import { CopyButton } from "../shared/copy.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import { uniqueLinks, type FoundLink } from "./unique-links.ts";

/** Every link and image of the message, to be read before anything is opened. */
export function LinksView({ message }: { readonly message: Message }): ReactElement {
  const { html } = message;
  const links = uniqueLinks(message);
  return (
    <div className="stack">
      <section className="stack tight">
        <h3>{strings.links.links}</h3>
        {links.length === 0 && <p className="faint">{strings.links.noLinks}</p>}
        <ul className="link-list">
          {links.map((link) => (
            <LinkItem key={link.href} {...link} />
          ))}
        </ul>
      </section>
      <section className="stack tight">
        <h3>{strings.links.images}</h3>
        {html.images.length === 0 && <p className="faint">{strings.links.noImages}</p>}
        <ul className="link-list">
          {html.images.map(({ src, alt }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- images repeat
            <li key={at}>
              <div>
                <div>{alt === "" ? <span className="faint">{strings.links.noText}</span> : alt}</div>
                <div className="mono address soft">{src.slice(0, shownLengthMax)}</div>
              </div>
              <span className="badge">{isWeb(src) ? strings.links.remote : strings.links.inline}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

/** `data:` URLs can be megabytes. */
const shownLengthMax = 2000;

function LinkItem({ href, text }: FoundLink): ReactElement {
  return (
    <li>
      <div>
        <div>{text !== null && text !== href ? text : <span className="faint">{strings.links.noText}</span>}</div>
        <div className="mono address soft">{href.slice(0, shownLengthMax)}</div>
      </div>
      <div className="row">
        <CopyButton text={href} name={text ?? href} />
        {isWeb(href) && (
          <a
            className="icon-button"
            href={href}
            target="_blank"
            rel="noreferrer"
            aria-label={`${strings.links.open} ${href}`}
            title={strings.links.open}
          >
            <ExternalLink size={15} aria-hidden />
          </a>
        )}
      </div>
    </li>
  );
}

/** Only such addresses are made clickable: `javascript:` and its kind never are. */
function isWeb(address: string): boolean {
  return /^https?:\/\//i.test(address);
}
