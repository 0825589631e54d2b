import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { StepPlace } from '../../../view/graph/index.ts'
import { stepHref } from './step/step-href.ts'

/** The drawing of what happened: each box leads to its step, or to the items of its loop. */
export function GraphTab(props: {
  readonly runId: string
  readonly runbook: string
  readonly places: readonly StepPlace[]
  readonly loops: readonly string[]
}): VNode {
  const { runId, runbook, places, loops } = props
  const box = useRef<HTMLDivElement>(null)
  const isCut = useSignal(false)
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const look = new ResizeObserver(() => (isCut.value = current.scrollWidth > current.clientWidth))
    for (const one of [current, ...current.children]) look.observe(one)
    return () => look.disconnect()
  }, [isCut])
  const address = `/runs/${encodeURIComponent(runId)}`
  const hrefOf = (path: string): string => {
    const loop = loops.find((one) => path === one || path.startsWith(`${one}/`))
    return loop === undefined
      ? stepHref(runId, path)
      : `${address}?tab=items&step=${encodeURIComponent(loop)}`
  }
  return (
    <section aria-label="Graph">
      {isCut.value ? <p class="dim">The drawing is wider than the window: scroll it sideways.</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide drawing is scrolled with the keyboard */}
      <div class="drawing" tabIndex={0} ref={box}>
        <img
          src={`/api/v1${address}/graph.svg`}
          useMap="#steps"
          alt={`The steps of ${runbook} as boxes, in the order in which they run. The tab Steps has the same as text.`}
        />
        <map name="steps">
          {places.map(({ path, rect }) => (
            <area key={path} shape="rect" coords={rect.join()} href={hrefOf(path)} alt={path} />
          ))}
        </map>
      </div>
    </section>
  )
}
