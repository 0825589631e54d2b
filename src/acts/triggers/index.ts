/** The pause of all automatic starts. */
import { pauseWord } from '../../core/triggers/index.ts'
import type { TriggersSet } from '../../documents/index.ts'
import type { TriggerPause } from '../../engine/index.ts'
import { withEventStore } from '../../project/engine/index.ts'
import type { EngineFlags, ProjectContext } from '../../project/index.ts'
import { refusedWith } from '../outdated.ts'
import type { Who } from '../read-who.ts'

/** Who pauses or resumes all automatic starts, and how they stood when they were shown. */
export interface TriggersAct extends Who {
  readonly shown?: string
}

/**
 * Pauses or resumes all automatic starts. The first user who has paused them stays on record. `before`: how they stood.
 * Throws `Outdated` where they do not stand as they were shown.
 */
export function setTriggers(
  kind: 'pause' | 'unpause',
  { shown, ...who }: TriggersAct,
  context: ProjectContext,
  flags: EngineFlags,
): Promise<TriggersSet & { readonly before: TriggerPause | undefined }> {
  return withEventStore(context, flags, async (events) => {
    const paused = kind === 'pause' ? { ...who, since: new Date().toISOString() } : undefined
    const setting = events.setPause(paused, shown)
    const before = await refusedWith(shown, setting, async () => {
      const now = await events.readPause()
      return { word: pauseWord(now), now: { paused: now ?? null } }
    })
    return { paused: (paused && (before ?? paused)) ?? null, before }
  })
}
