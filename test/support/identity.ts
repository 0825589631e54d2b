import type { Identity } from '../../src/core/record/identity.ts'

/** The system user of this name. */
export function systemUserNamed(name: string): Identity {
  return { name, source: 'system-user', user: name }
}
