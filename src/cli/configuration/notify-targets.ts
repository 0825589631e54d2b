import { dirname } from 'node:path'
import type { NoticeTarget } from '../../notices/index.ts'
import type { Io } from '../io.ts'
import type { Configuration } from './read-configuration.ts'
import { readReference } from './read-reference.ts'
import { resolvePath } from './resolve-path.ts'

/** Whom `notify` in `opsbook.yaml` names. A file is named by its whole path: the next process may stand elsewhere. */
export function notifyTargets({ file, document }: Configuration, io: Io): readonly NoticeTarget[] {
  return (document.notify ?? []).map(({ on, url, format = 'json' }) => {
    const isFile = url.startsWith('file:') && file !== undefined
    const reference = isFile ? `file:${resolvePath(url.slice('file:'.length), dirname(file), io)}` : url
    return { on, reference, format }
  })
}

/** The address that the reference of a target leads to. Rejects with why there is none; the address is in no message. */
export async function readNotifyAddress(reference: string, io: Io): Promise<string> {
  const read = await readReference(reference, io.workingDirectory, io)
  if (!('text' in read)) throw new Error(`${read.place} ${read.problem}`)
  const address = read.text.trim()
  const isAddress = /^https?:\/\/[^/\s]/i.test(address) && URL.canParse(address)
  if (!isAddress) throw new Error(`${read.place} does not hold an http or https address`)
  return address
}
