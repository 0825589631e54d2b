import type { Client } from './client.ts'

const known = new WeakMap<Client, readonly string[]>()

/** Keeps what a client signs its requests with, for those who have to hide it. */
export function keepSecretsOf(client: Client, secrets: readonly string[]): Client {
  known.set(client, secrets)
  return client
}

/** What a client signs its requests with: its app key. */
export function secretsOf(client: Client): readonly string[] {
  return known.get(client) ?? []
}
