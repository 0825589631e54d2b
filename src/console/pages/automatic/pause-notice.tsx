import type { VNode } from 'preact'
import type { Schedules } from '../../../documents/index.ts'
import { Moment } from '../parts/moment.tsx'

/** Says that nothing starts by itself, by whom and since when. */
export function PauseNotice({ paused }: { readonly paused: Schedules['paused'] | undefined }): VNode | null {
  if (paused === undefined) return null
  const { by, since, comment } = paused
  return (
    <p class="notice held">
      All automatic starts are paused by {by.name}, <Moment at={since} />
      {comment === undefined ? '' : `: ${comment}`}
    </p>
  )
}
