import { Forward, Reply } from "lucide-react";
import { lazy, Suspense, useState, type ReactElement } from "react";
import { useShortcuts } from "../shared/use-shortcuts.ts";
import { IconButton } from "../shared/icon-button.tsx";
import { Menu } from "../shared/menu.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";
import type { ReplyKind } from "./reply-dialog.tsx";
import type { SimulatedReplyKind } from "./simulated-reply-dialog.tsx";

const ReplyDialog = lazy(async () => ({ default: (await import("./reply-dialog.tsx")).ReplyDialog }));
const SimulatedReplyDialog = lazy(async () => ({
  default: (await import("./simulated-reply-dialog.tsx")).SimulatedReplyDialog,
}));

type Asked = ReplyKind | SimulatedReplyKind;
const simulatedReplyKinds: readonly SimulatedReplyKind[] = ["bounce", "complaint", "autoreply"];

/** The ways to answer a mail: as a person, and as the world would. */
export function ReplyTools({ message }: { readonly message: Message }): ReactElement {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { titles } = strings.answer;
  const open = (kind: Asked | null) => () => {
    setAsked(kind);
  };
  useShortcuts({ r: open("reply") });
  const world = simulatedReplyKinds.map((kind) => ({ name: strings.world.titles[kind], onSelect: open(kind) }));
  return (
    <>
      <IconButton name={titles.reply} icon={Reply} onClick={open("reply")} />
      <IconButton name={titles.forward} icon={Forward} onClick={open("forward")} />
      <Suspense>
        {(asked === "reply" || asked === "forward") && (
          <ReplyDialog kind={asked} message={message} onClose={open(null)} />
        )}
        {(asked === "bounce" || asked === "complaint" || asked === "autoreply") && (
          <SimulatedReplyDialog kind={asked} message={message} onClose={open(null)} />
        )}
      </Suspense>
      <Menu name={strings.message.more} items={world} />
    </>
  );
}
