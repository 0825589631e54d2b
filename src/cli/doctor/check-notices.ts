import { openNoticeStore } from '../../engine/embedded/index.ts'
import { chooseDataDir } from '../shared/configuration/data-dir.ts'
import { notifyTargets, readNotifyAddress } from '../shared/configuration/notify-targets.ts'
import type { Configuration } from '../shared/configuration/read-configuration.ts'
import type { Io } from '../shared/io.ts'
import { countText } from '../shared/terminal/quantity-text.ts'
import { type Check, failedCheck } from './check.ts'

const name = 'notices'

/** Checks the addresses of `notify`, and lists notifications that were not delivered. No address is shown. */
export async function checkNotices(
  flag: string | undefined,
  configuration: Configuration,
  io: Io,
  isDatabaseUsable: boolean,
): Promise<readonly Check[]> {
  const references = [...new Set(notifyTargets(configuration, io).map(({ reference }) => reference))]
  const wrong: Check[] = []
  for (const reference of references)
    await readNotifyAddress(reference, io).catch((error: Error) =>
      wrong.push({ name, status: 'fail', message: `${reference}: ${error.message}` }),
    )
  const late = isDatabaseUsable
    ? undelivered(chooseDataDir(flag, configuration, io), references)
    : [{ name, status: 'skipped' as const, message: 'not checked: the database cannot be used' }]
  if (wrong.length + late.length > 0) return [...wrong, ...late]
  if (references.length === 0) return []
  return [
    { name, status: 'ok', message: `${countText(references.length, 'target')}, everything was delivered` },
  ]
}

function undelivered(dataDir: string, references: readonly string[]): readonly Check[] {
  try {
    const store = openNoticeStore(dataDir)
    const rows = store?.undelivered() ?? []
    store?.close()
    return rows.map(({ target, waiting, givenUp, since, lastError }) => {
      const hint = references.includes(target)
        ? 'the next run with this data directory retries those that are waiting'
        : 'no "notify" entry of this opsbook.yaml names this target'
      const message = `${target}: ${undeliveredText({ waiting, givenUp, since, lastError })}`
      return { name, status: 'warn', message, hints: [hint] }
    })
  } catch (error) {
    return [failedCheck(name, error)]
  }
}

/** How many notifications were not delivered, since when and why. */
export function undeliveredText({ waiting, givenUp, since, lastError }: UndeliveredFacts): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting} waiting to be delivered`] : []),
    ...(givenUp > 0 ? [`${givenUp} not delivered after all retries`] : []),
  ]
  return `${parts.join(', ')}, since ${since}${lastError === undefined ? '' : `: ${lastError}`}`
}

interface UndeliveredFacts {
  readonly waiting: number
  readonly givenUp: number
  /** RFC 3339: when the oldest of them was recorded. */
  readonly since: string
  readonly lastError: string | undefined
}
