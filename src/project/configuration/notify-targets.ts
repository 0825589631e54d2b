import { dirname } from 'node:path'
import type { NoticeTarget } from '../../notifications/index.ts'
import type { Surroundings } from '../surroundings.ts'
import { resolvePath } from './data-dir.ts'
import type { Configuration } from './read-configuration.ts'
import { readReference } from './read-reference.ts'
import { configurationDefaults } from './schema/defaults.ts'

/** The targets of `notify` in `opsbook.yaml`. File paths are absolute, for processes in other folders. */
export function notifyTargets({ file, document }: Configuration, io: Surroundings): readonly NoticeTarget[] {
  return (document.notify ?? []).map(
    ({ name, on = [], url, format = configurationDefaults.notifyFormat }) => {
      const isFile = url.startsWith('file:') && file !== undefined
      const reference = isFile ? `file:${resolvePath(url.slice('file:'.length), dirname(file), io)}` : url
      return { ...(name === undefined ? {} : { name }), on, reference, format }
    },
  )
}

/** The names that `escalate.to` can use. Left out without an `opsbook.yaml`, or where its `notify` is wrong. */
export function knownNotifyNames({
  file,
  document,
  invalid,
}: Pick<Configuration, 'file' | 'document' | 'invalid'>): {
  readonly notifyNames?: readonly string[]
} {
  if (file === undefined || invalid !== undefined) return {}
  return { notifyNames: (document.notify ?? []).flatMap(({ name }) => name ?? []) }
}

/** Reads the address that a target refers to. Rejects with the reason if there is none, without showing the address. */
export async function readNotifyAddress(reference: string, io: Surroundings): Promise<string> {
  const read = await readReference(reference, {}, io)
  if (!('text' in read)) throw new Error(`${read.place} ${read.problem}`)
  const address = read.text.trim()
  const isAddress = /^https?:\/\/[^/\s]/i.test(address) && URL.canParse(address)
  if (!isAddress) throw new Error(`${read.place} does not hold an http or https address`)
  return address
}
