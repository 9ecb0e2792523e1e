import { Forward, Reply } from "lucide-react";
import { lazy, Suspense, useState, type ReactElement } from "react";
import { useShortcuts } from "../list/use-shortcuts.ts";
import { IconButton } from "../shared/icon-button.tsx";
import { Menu } from "../shared/menu.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import type { AnswerKind } from "./answer-dialog.tsx";
import type { WorldKind } from "./world-dialog.tsx";

const AnswerDialog = lazy(async () => ({ default: (await import("./answer-dialog.tsx")).AnswerDialog }));
const WorldDialog = lazy(async () => ({ default: (await import("./world-dialog.tsx")).WorldDialog }));

type Asked = AnswerKind | WorldKind;
const worldKinds: readonly WorldKind[] = ["bounce", "complaint", "autoreply"];

/** The ways to answer a mail: as a person, and as the world would. */
export function AnswerTools({ message }: { readonly message: Message }): ReactElement {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { titles } = strings.answer;
  const ask = (kind: Asked | null) => () => {
    setAsked(kind);
  };
  useShortcuts({ r: ask("reply") });
  const world = worldKinds.map((kind) => ({ name: strings.world.titles[kind], onSelect: ask(kind) }));
  return (
    <>
      <IconButton name={titles.reply} icon={Reply} onClick={ask("reply")} />
      <IconButton name={titles.forward} icon={Forward} onClick={ask("forward")} />
      <Suspense>
        {(asked === "reply" || asked === "forward") && (
          <AnswerDialog kind={asked} message={message} onClose={ask(null)} />
        )}
        {(asked === "bounce" || asked === "complaint" || asked === "autoreply") && (
          <WorldDialog kind={asked} message={message} onClose={ask(null)} />
        )}
      </Suspense>
      <Menu name={strings.message.more} items={world} />
    </>
  );
}
