/** A mail as mail programs would show it. */
import { Images } from "lucide-react";
import { useState, type ReactElement } from "react";
import { useEmailClients, useRequestPreviews } from "../api/previews.ts";
import { Segments } from "../shared/field.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { EmailClient } from "../wire.ts";
import { PreviewCard } from "./preview-card.tsx";

type Group = "All" | EmailClient["group"];
const groups: readonly Group[] = ["All", "Mobile", "Desktop", "Web"];

/** The programs, each with what of it is emulated; pictures are made when they are asked for. */
export function PreviewsView({ id }: { readonly id: string }): ReactElement {
  const { data: clients = [], error } = useEmailClients();
  const [group, setGroup] = useState<Group>("All");
  const [images, setImages] = useState<EmailClient["images"]>("shown");
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const make = useRequestPreviews(id);
  const shown = clients.filter((client) => client.images === images && (group === "All" || client.group === group));
  const missing = shown.filter(({ label }) => !made.has(label)).map(({ label }) => label);
  const show = (labels: readonly string[]): void => {
    make.mutate(labels, {
      onSuccess: (previews) => {
        const added = previews.map(({ emailClient, id: preview }) => [emailClient, preview] as const);
        setMade((before) => new Map([...before, ...added]));
      },
    });
  };
  const words = strings.previews;
  return (
    <div className="stack">
      <p className="soft">{words.lead}</p>
      <div className="row wrap">
        <Segments
          label={words.group}
          value={group}
          options={groups.map((one) => [one, words.groups[one]])}
          onChange={setGroup}
        />
        <Segments
          label={words.images}
          value={images}
          options={[
            ["shown", words.imagesShown],
            ["blocked", words.imagesBlocked],
          ]}
          onChange={setImages}
        />
        <button
          type="button"
          className="button primary push"
          disabled={make.isPending || missing.length === 0}
          onClick={() => {
            show(missing);
          }}
        >
          <Images size={15} aria-hidden />
          {words.showAll(missing.length)}
        </button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
      {make.error !== null && <ErrorNotice error={make.error} />}
      <ul className="previews">
        {shown.map((client) => (
          <PreviewCard key={client.label} client={client} preview={made.get(client.label) ?? null} onShow={show} />
        ))}
      </ul>
    </div>
  );
}
