import { mask } from '../../api/scrub.ts'
import { secretForms } from '../../api/secret-forms.ts'

/** Takes secrets out of bytes that come in pieces, also where a secret is cut in two. */
export interface StreamMask {
  /** The bytes that can hold no part of a secret any more. */
  push(piece: Uint8Array): Buffer
  /** What is left. */
  end(): Buffer
}

/** Knows each secret in the forms of `secretForms`, whatever the case of the letters. */
export function createStreamMask(secrets: readonly string[]): StreamMask {
  const written = secrets
    .flatMap(secretForms)
    .flatMap((form) => [form, form.toUpperCase(), form.toLowerCase()])
  const forms = [...new Set(written.map(asCharacters))].sort((one, other) => other.length - one.length)
  // A secret that has begun may be so long, less its last byte.
  const held = Math.max((forms[0]?.length ?? 0) - 1, 0)
  let pending = ''
  return {
    push(piece) {
      pending = forms.reduce(masked, pending + Buffer.from(piece).toString('latin1'))
      const ready = pending.slice(0, Math.max(pending.length - held, 0))
      pending = pending.slice(ready.length)
      return Buffer.from(ready, 'latin1')
    },
    end: () => Buffer.from(pending, 'latin1'),
  }
}

/** One character for each byte, in lower case: so it is searched for. */
function asCharacters(form: string): string {
  return Buffer.from(form).toString('latin1').toLowerCase()
}

function masked(text: string, form: string): string {
  const searched = text.toLowerCase()
  let clean = ''
  let from = 0
  for (let at = searched.indexOf(form); at >= 0; at = searched.indexOf(form, from)) {
    clean += text.slice(from, at) + mask
    from = at + form.length
  }
  return clean + text.slice(from)
}
