import type { VNode } from 'preact'
import { durationText } from '../../../view/text/index.ts'
import type { TriggerDocument } from '../page-state.ts'
import { Moment } from '../parts/moment.tsx'

/** What starts a runbook by itself, and when next. */
export function TriggerLines({ triggers }: { readonly triggers: readonly TriggerDocument[] }): VNode {
  if (triggers.length === 0) return <span class="dim">by hand</span>
  return (
    <ul class="plain">
      {triggers.map(({ type, hook, where, cron, every_ms, timezone, next = [] }) => (
        <li key={`${type} ${hook} ${cron} ${every_ms} ${where}`}>
          {type === 'incident' ? (
            <>
              on an event{hook === undefined ? '' : ` of ${hook}`}
              {where === undefined ? null : (
                <span class="why">
                  where <code>{where}</code>
                </span>
              )}
            </>
          ) : (
            <>
              {cron === undefined ? `every ${durationText(every_ms ?? 0)}` : <code>{cron}</code>}{' '}
              <span class="dim">{timezone}</span>
              {next[0] === undefined ? null : (
                <span class="why">
                  next <Moment at={next[0]} />
                </span>
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
