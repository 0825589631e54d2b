import { hostname } from 'node:os'
import { RunbookError } from '../../../core/run-error.ts'

/** A key that payloads are encrypted with. */
export interface PayloadKey {
  /** The metadata of each encrypted payload holds it. */
  readonly id: string
  readonly secret: Uint8Array
}

/** Name of the variable that holds the keys. */
export const keysVariable = 'OPSBOOK_TEMPORAL_KEYS'

/** Name of the variable that lets a process with keys read payloads that are not encrypted. */
export const plainVariable = 'OPSBOOK_TEMPORAL_ALLOW_PLAIN'

/** Whether this process reads payloads that are not encrypted although it has keys: for the time in which keys are added. */
export function acceptsPlain(): boolean {
  const value = process.env[plainVariable] ?? ''
  if (value === '' || value === '1') return value === '1'
  throw new RunbookError('PayloadUnreadable', `${plainVariable} is "${value}"`, {
    notSent: true,
    next: `Set ${plainVariable} to 1, or remove it.`,
  })
}

/** What the payloads of this process are protected by. `plain-accepted`: by keys, and by {@link plainVariable} not. */
export function protection(): 'none' | 'plain-accepted' | 'keys' {
  if (keysHere().length === 0) return 'none'
  return acceptsPlain() ? 'plain-accepted' : 'keys'
}

/** What a process with the switch says. */
export const plainAccepted: string = `${plainVariable} is set: payloads without encryption are accepted, from anyone who may write to the namespace`

/**
 * The keys in a text such as `new:BASE64,old:BASE64`, each of 32 bytes. The first one writes, all of them read. Throws
 * `PayloadUnreadable`, without a key in its message.
 */
export function readPayloadKeys(text: string | undefined): readonly PayloadKey[] {
  const parts = (text ?? '').split(',').map((part) => part.trim())
  const keys = parts.filter((part) => part !== '').map(readKey)
  const ids = keys.map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid(`the id ${twice} is used twice`)
  return keys
}

function readKey(part: string, index: number): PayloadKey {
  const [, id, base64 = ''] = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]+=*)$/.exec(part) ?? []
  if (id === undefined) throw invalid(`entry ${index + 1} is not an id, a colon and a key in base64`)
  const secret = Buffer.from(base64, 'base64')
  if (secret.length !== 32) throw invalid(`the key ${id} has ${secret.length} bytes, and must have 32`)
  return { id, secret }
}

function invalid(why: string): RunbookError {
  return new RunbookError('PayloadUnreadable', `${keysVariable}: ${why}`, {
    notSent: true,
    next: `Write ${keysVariable} as ID:BASE64, with commas between keys: "head -c32 /dev/urandom | base64" makes the second part of one.`,
  })
}

/** The identity of a worker of this process: it names the key that the worker encrypts with. */
export function workerIdentity(): string {
  const [writer] = keysHere()
  const announced = writer ? ` key=${writer.id}` : ''
  return `${process.pid}@${hostname()}${announced}`
}

/** The id of the key that the worker of this identity encrypts with, where this process does not have it. */
export function missingKeyOf(identity: string): string | undefined {
  const [, id] = / key=([A-Za-z0-9._-]{1,64})$/.exec(identity) ?? []
  return keysHere().some((key) => key.id === id) ? undefined : id
}

function keysHere(): readonly PayloadKey[] {
  return readPayloadKeys(process.env[keysVariable])
}
