import { clsx } from "clsx";
import type { ReactElement } from "react";
import { useTranscript } from "../../api/messages.ts";
import { ErrorNotice } from "../../shared/error-notice.tsx";
import layout from "../../shared/layout.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Transcript } from "../../wire.ts";
import styles from "./transcript-view.module.css";

/** Recorded SMTP session or HTTP request that delivered a message, with the times of its lines. */
export function TranscriptView({ id }: { readonly id: string }): ReactElement {
  const { data, error } = useTranscript(id);
  const labels = pageStrings.transcript;
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{labels.title}</h3>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && <pre className={styles.transcript}>{data.entries.map(lineOf).join("\n")}</pre>}
    </section>
  );
}

function lineOf({ at, from, text, pipelined }: Transcript["entries"][number]): string {
  const speaker = pipelined ? "C+" : { client: "C:", server: "S:", service: "* " }[from];
  return `${String(at).padStart(6)} ms  ${speaker} ${text}`;
}
