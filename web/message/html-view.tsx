import { ImageOff, Monitor, Moon, Smartphone, Tablet } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useSignedUrl } from "../api/signed-urls.ts";
import { formatBytes } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";

/** Widths at which a mail can be looked at. */
type Width = "full" | "desktop" | "tablet" | "phone";

const widths: readonly Width[] = ["full", "desktop", "tablet", "phone"];
const icons = { full: null, desktop: Monitor, tablet: Tablet, phone: Smartphone };
/** Above this size a mail is laid out only when that is asked for. */
const heavyLength = 1_000_000;
const systemIsDark = (): boolean => matchMedia("(prefers-color-scheme: dark)").matches;

/** The mail as its reader sees it, in a frame that can do nothing. */
export function HtmlView({ message }: { readonly message: Message }): ReactElement {
  const [width, setWidth] = useState<Width>("full");
  const [isDark, setDark] = useState(systemIsDark);
  const [isRemote, setRemote] = useState(false);
  const length = message.html.body?.length ?? 0;
  const [isShown, setShown] = useState(length <= heavyLength);
  const choices = new URLSearchParams({ ...(isRemote && { remote: "1" }), ...(isDark && { dark: "1" }) });
  return (
    <div className="html-view">
      <div className="html-tools">
        <Widths width={width} onChange={setWidth} />
        <button
          type="button"
          className="icon-button"
          aria-label={strings.html.dark}
          title={strings.html.dark}
          aria-pressed={isDark}
          onClick={() => {
            setDark(!isDark);
          }}
        >
          <Moon size={15} aria-hidden />
        </button>
        {!isRemote && <RemoteNote message={message} onAllow={setRemote} />}
      </div>
      {isShown ? (
        <div className="stage" data-width={width} data-dark={isDark}>
          <MailFrame url={`/web/messages/${message.id}/html?${choices.toString()}`} />
        </div>
      ) : (
        <div className="empty">
          <p>{strings.html.heavy(formatBytes(length))}</p>
          <button
            type="button"
            className="button"
            onClick={() => {
              setShown(true);
            }}
          >
            {strings.html.heavyShow}
          </button>
        </div>
      )}
    </div>
  );
}

function MailFrame({ url }: { readonly url: string }): ReactElement | null {
  const { data: src, error, refetch } = useSignedUrl(url);
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (src === undefined) return null;
  return (
    <iframe
      title={strings.html.frame}
      src={src}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
    />
  );
}

function Widths(props: { readonly width: Width; readonly onChange: (width: Width) => void }): ReactElement {
  const { width, onChange } = props;
  return (
    <div className="segments wide-tools" role="group" aria-label={strings.html.width}>
      {widths.map((each) => {
        const Icon = icons[each];
        return (
          <button
            key={each}
            type="button"
            className="segment"
            aria-pressed={each === width}
            aria-label={strings.html.widthNames[each]}
            title={strings.html.widthNames[each]}
            onClick={() => {
              onChange(each);
            }}
          >
            {Icon !== null && <Icon size={13} aria-hidden />}
            {strings.html.widths[each]}
          </button>
        );
      })}
    </div>
  );
}

function RemoteNote(props: {
  readonly message: Message;
  readonly onAllow: (isAllowed: true) => void;
}): ReactElement | null {
  const { message, onAllow } = props;
  const { body, images } = message.html;
  const count = images.filter((image) => /^(?:https?:)?\/\//i.test(image.src)).length;
  if (count === 0 && !/url\(\s{0,9}["']?(?:https?:)?\/\/|<link\b|@import\b/i.test(body ?? "")) return null;
  return (
    <div className="remote-note small">
      <ImageOff size={14} className="faint" aria-hidden />
      <span className="faint clip" title={strings.html.remoteHint}>
        {strings.html.remoteOff(count)}
      </span>
      <button
        type="button"
        className="segment"
        title={strings.html.remoteHint}
        onClick={() => {
          onAllow(true);
        }}
      >
        {strings.html.remoteOn}
      </button>
    </div>
  );
}
