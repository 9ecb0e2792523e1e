import { Component, type ReactNode } from "react";
import { Button } from "../shared/button.tsx";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";

interface PageBoundaryState {
  readonly error: Error | null;
}

/**
 * Shows a page that could not be rendered as an error with its reason, and keeps the bar and its links. Give it a key for each
 * address, so that another page is rendered anew. React logs the error in the console.
 */
export class PageBoundary extends Component<{ readonly children: ReactNode }, PageBoundaryState> {
  override state: PageBoundaryState = { error: null };

  static getDerivedStateFromError(reason: unknown): PageBoundaryState {
    return { error: reason instanceof Error ? reason : new Error(String(reason)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <Page title={strings.broken.title} lead={strings.broken.lead(error.message)}>
        <p>
          <Button
            onClick={() => {
              this.setState({ error: null });
            }}
          >
            {strings.retry}
          </Button>
        </p>
      </Page>
    );
  }
}
