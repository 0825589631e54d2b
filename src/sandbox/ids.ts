import { createHash } from 'node:crypto'

const alphabets = {
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  hex: '0123456789abcdef',
}

const shapes = {
  agent: { prefix: 'a2a_', length: 22, alphabet: 'letters' },
  application: { prefix: '', length: 22, alphabet: 'letters' },
  client_token: { prefix: '', length: 35, alphabet: 'hex' },
  ingestion_rule: { prefix: 'ing_', length: 22, alphabet: 'letters' },
  link_system: { prefix: 'lnk_', length: 12, alphabet: 'letters' },
  incident: { prefix: 'inc_', length: 22, alphabet: 'letters' },
  event: { prefix: 'evt_', length: 22, alphabet: 'letters' },
  request: { prefix: '', length: 32, alphabet: 'hex' },
} as const

export type IdKind = keyof typeof shapes

/** The id that follows from `source`: the same source, the same id, in the shape the service uses for that kind. */
export function deriveId(kind: IdKind, source: string): string {
  const { prefix, length } = shapes[kind]
  const alphabet = alphabets[shapes[kind].alphabet]
  const bytes = createHash('shake256', { outputLength: length }).update(`${kind}/${source}`).digest()
  let id: string = prefix
  for (const byte of bytes) id += alphabet[byte % alphabet.length]
  return id
}

/** Numbers in [0, 1) that follow from `source`, one after another. */
export function createRandom(source: string): () => number {
  let state = createHash('md5').update(source).digest().readUInt32LE()
  return () => {
    // mulberry32: small, quick, and good enough to look like measurements.
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
