import { clsx } from "clsx";
import { ImageOff, Moon } from "lucide-react";
import { useRef, useState, type ReactElement } from "react";
import { createPortal } from "react-dom";
import { useSignedUrl } from "../../api/signed-urls.ts";
import { Button, IconButton } from "../../shared/button.tsx";
import { ErrorNotice } from "../../shared/notice.tsx";
import { optionsOf } from "../../shared/field.tsx";
import fieldStyles from "../../shared/field.module.css";
import { formatBytes } from "../../shared/format.ts";
import layout from "../../shared/layout.module.css";
import pageStyles from "../../shared/page.module.css";
import { isPageDark } from "../../shared/theme.ts";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";
import { PrintFrame } from "../print.tsx";
import styles from "./html-view.module.css";
import { FitButton, Stage, useFit } from "./mail-stage.tsx";

/** Width of the frame. */
type Width = keyof typeof pageStrings.html.widths;

const widths = optionsOf<Width>(pageStrings.html.widths);

/** Above this size, in characters, an email is displayed only on request. */
const heavyLength = 1_000_000;
/** Declarations by which an email supports a dark colour scheme; others assume black on white. */
const darkSupport = /prefers-color-scheme\s{0,9}:\s{0,9}dark|color-schemes?\b[^;{}<>]{0,99}\bdark\b/i;

/** HTML of an email in a sandboxed frame without scripts, with remote content blocked at first; its tools are shown elsewhere. */
export function HtmlView(props: { readonly message: Message; readonly toolbar: HTMLElement | null }): ReactElement {
  const { message, toolbar } = props;
  const [width, setWidth] = useState<Width>("full");
  const [isDark, setDark] = useState(() => isPageDark() && darkSupport.test(message.html.body ?? ""));
  const [isRemote, setRemote] = useState(false);
  const length = message.html.body?.length ?? 0;
  const [isShown, setShown] = useState(length <= heavyLength);
  const stageRef = useRef<HTMLDivElement>(null);
  const fit = useFit(message, stageRef, width === "full");
  const choices = new URLSearchParams({ ...(isRemote && { remote: "1" }), ...(isDark && { dark: "1" }) });
  const url = `/web/messages/${message.id}/html?`;
  const tools = (
    <>
      <Widths width={width} onChange={setWidth} />
      <IconButton name={pageStrings.html.dark} icon={Moon} aria-pressed={isDark} onClick={() => setDark(!isDark)} />
      <FitButton fit={fit} />
      {!isRemote && <RemoteNote message={message} onAllow={setRemote} />}
    </>
  );
  return (
    <div className={styles.htmlView}>
      {toolbar !== null && createPortal(tools, toolbar)}
      <PrintFrame url={`${url}print=1${isRemote ? "&remote=1" : ""}`} />
      <p className={styles.printHint}>{pageStrings.print.hint}</p>
      {isShown ? (
        <Stage stageRef={stageRef} width={width} isDark={isDark} scale={fit.scale} html={message.html.body ?? ""}>
          <MailFrame url={url + choices.toString()} />
        </Stage>
      ) : (
        <div className={pageStyles.empty}>
          <p>{pageStrings.html.heavy(formatBytes(length))}</p>
          <Button onClick={() => setShown(true)}>{pageStrings.html.heavyShow}</Button>
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
      title={pageStrings.html.frame}
      src={src}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
    />
  );
}

function Widths(props: { readonly width: Width; readonly onChange: (width: Width) => void }): ReactElement {
  const { width, onChange } = props;
  return (
    <select
      className={clsx(fieldStyles.input, styles.width, layout.wideOnly)}
      aria-label={pageStrings.html.width}
      value={width}
      onChange={({ target }) => {
        const chosen = widths.find(([each]) => each === target.value);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    >
      {widths.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
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
    <button
      type="button"
      className={clsx(fieldStyles.segment, layout.push)}
      title={pageStrings.html.remoteHint}
      onClick={() => onAllow(true)}
    >
      <ImageOff size={14} aria-hidden />
      {pageStrings.html.remoteOn(count)}
    </button>
  );
}
