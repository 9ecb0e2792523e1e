import { useMutation } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Download } from "lucide-react";
import type { ReactElement } from "react";
import { download } from "../api/signed-urls.ts";
import { Button } from "../shared/button.tsx";
import { ErrorNotice } from "../shared/error-notice.tsx";
import layout from "../shared/layout.module.css";
import { pageStrings } from "../page-strings.ts";

/** Download of the newest messages of a server as an archive. */
export function BundlePanel({ server }: { readonly server: string }): ReactElement {
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => download(`/api/servers/${server}/bundle`, `bundle-${server}.zip`),
  });
  const labels = pageStrings.bundle;
  return (
    <div className={layout.stack}>
      <h2>{labels.title}</h2>
      <div className={clsx(layout.row, layout.wrap)}>
        <p className={clsx(layout.soft, layout.fill)}>{labels.lead}</p>
        <Button
          disabled={isPending}
          onClick={() => {
            mutate();
          }}
        >
          <Download size={15} aria-hidden />
          {labels.download}
        </Button>
      </div>
      {error !== null && <ErrorNotice error={error} />}
    </div>
  );
}
