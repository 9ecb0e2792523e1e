import { lazy, Suspense, type ReactElement } from "react";
import type { MessageTab } from "../navigation/place.ts";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";
import { AttachmentsView } from "./attachments-view.tsx";
import { DeliveryView } from "./delivery-view.tsx";
import { HeadersView } from "./headers-view.tsx";
import { HtmlView } from "./html-view.tsx";
import { LinksView } from "./links-view.tsx";
import { StructureView } from "./structure-view.tsx";

const SourceView = lazy(async () => ({ default: (await import("./source-view.tsx")).SourceView }));
const TestView = lazy(async () => ({ default: (await import("./test-view.tsx")).TestView }));

/** The content of the selected tab. */
export function TabPanel(props: {
  readonly id: string;
  readonly tab: MessageTab;
  readonly message: Message;
  readonly session: Session;
}): ReactElement {
  const { id, tab } = props;
  const className = tab === "html" ? "message-body" : "message-body padded";
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
    <div id={id} role="tabpanel" tabIndex={0} className={className} aria-label={strings.message.tabs[tab]}>
      <Suspense fallback={<p className="faint">{strings.loading}</p>}>
        <View {...props} />
      </Suspense>
    </div>
  );
}

function View(props: Parameters<typeof TabPanel>[0]): ReactElement {
  const { tab, message, session } = props;
  switch (tab) {
    case "html":
      return <HtmlView message={message} />;
    case "text":
      return <p className="plain">{message.text.body ?? ""}</p>;
    case "source":
      return <SourceView id={message.id} />;
    case "headers":
      return <HeadersView message={message} />;
    case "structure":
      return <StructureView id={message.id} />;
    case "attachments":
      return <AttachmentsView message={message} />;
    case "links":
      return <LinksView message={message} />;
    case "delivery":
      return <DeliveryView message={message} />;
    case "test":
      return <TestView message={message} session={session} />;
  }
}
