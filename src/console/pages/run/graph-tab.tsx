import type { VNode } from 'preact'

/** The drawing of what happened. The steps are the same facts as text. */
export function GraphTab({ runId, runbook }: { readonly runId: string; readonly runbook: string }): VNode {
  return (
    <section aria-label="Graph">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide drawing is scrolled with the keyboard */}
      <div class="drawing" tabIndex={0}>
        <img
          src={`/api/v1/runs/${encodeURIComponent(runId)}/graph.svg`}
          alt={`The steps of ${runbook} as boxes, in the order in which they run. The tab Steps has the same as text.`}
        />
      </div>
    </section>
  )
}
