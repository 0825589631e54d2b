import type { ComposeNotice } from '../../engine/embedded/index.ts'
import type { Delivery } from '../../notices/index.ts'
import type { Configuration } from '../configuration/index.ts'
import { notifyTargets, readNotifyAddress } from '../configuration/notify-targets.ts'
import type { CommandContext } from '../context.ts'
import type { RunViews } from './open-views.ts'

/** The messages of a run, and their way out. */
export interface RunNotices extends Delivery {
  readonly compose?: ComposeNotice
}

/** What the messages of a run are made and delivered with. */
export interface NoticesOptions {
  readonly configuration: Configuration
  readonly dataDir: string
  /** What belongs at the end of commands that are named, such as `--data-dir data`. */
  readonly flags: string
}

/** Opens the way to those whom `notify` names. Where it names nobody, nothing is done. */
export async function openNotices(
  { io }: CommandContext,
  { configuration, dataDir, flags }: NoticesOptions,
  { secretMask, hide }: Pick<RunViews, 'secretMask' | 'hide'>,
): Promise<RunNotices> {
  const targets = notifyTargets(configuration, io)
  if (targets.length === 0) return { end: async () => {} }
  const { composeNotices, startDelivery } = await import('../../notices/index.ts')
  const delivery = startDelivery({
    dataDir,
    references: targets.map(({ reference }) => reference),
    async resolve(reference) {
      const address = await readNotifyAddress(reference, io)
      hide(address)
      return address
    },
  })
  const compose = composeNotices({ targets, flags, mask: secretMask.text })
  return { ...delivery, compose }
}
