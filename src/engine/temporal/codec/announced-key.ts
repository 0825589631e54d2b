import { hostname } from 'node:os'
import { keysVariable, type PayloadKey, readPayloadKeys } from './read-keys.ts'

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
