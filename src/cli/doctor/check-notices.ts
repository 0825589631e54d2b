import { openNoticeStore } from '../../engine/embedded/notice-store.ts'
import { type Configuration, chooseDataDir } from '../configuration/index.ts'
import { notifyTargets, readNotifyAddress } from '../configuration/notify-targets.ts'
import type { Io } from '../io.ts'
import { countText } from '../terminal/count-text.ts'
import { type Check, failedCheck } from './check.ts'

/** Whether those whom `notify` names can be found, and which messages have not arrived. No address is shown. */
export async function checkNotices(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
): Promise<readonly Check[]> {
  const name = 'notices'
  const references = [...new Set(notifyTargets(configuration, io).map(({ reference }) => reference))]
  const wrong: Check[] = []
  for (const reference of references)
    await readNotifyAddress(reference, io).catch((error: Error) =>
      wrong.push({ name, status: 'fail', message: `${reference}: ${error.message}` }),
    )
  const late = undelivered(chooseDataDir(flag, configuration, io), references)
  if (wrong.length + late.length > 0) return [...wrong, ...late]
  if (references.length === 0) return []
  return [
    { name, status: 'ok', message: `${countText(references.length, 'target')}, everything has arrived` },
  ]
}

function undelivered(dataDir: string, references: readonly string[]): readonly Check[] {
  const name = 'notices'
  try {
    const store = openNoticeStore(dataDir)
    const rows = store?.undelivered() ?? []
    store?.close()
    return rows.map(({ target, waiting, givenUp, since, lastError }) => {
      const hint = references.includes(target)
        ? 'the next run with this data directory tries again what is waiting'
        : 'no "notify" of this opsbook.yaml names this target'
      const message = `${target}: ${undeliveredText({ waiting, givenUp, since, lastError })}`
      return { name, status: 'warn', message, hints: [hint] }
    })
  } catch (error) {
    return [failedCheck(name, error)]
  }
}

/** How many messages have not arrived, since when and why. */
export function undeliveredText({ waiting, givenUp, since, lastError }: UndeliveredFacts): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting} waiting to be delivered`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up`] : []),
  ]
  return `${parts.join(', ')}, since ${since}${lastError === undefined ? '' : `: ${lastError}`}`
}

interface UndeliveredFacts {
  readonly waiting: number
  readonly givenUp: number
  /** RFC 3339: when the oldest of them was written. */
  readonly since: string
  readonly lastError: string | undefined
}
