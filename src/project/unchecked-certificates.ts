import type { Surroundings } from './surroundings.ts'

/** What to say where the environment makes Node take any certificate. Undefined: it checks them. */
export function uncheckedCertificates({ env }: Pick<Surroundings, 'env'>): string | undefined {
  return env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? 'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not checked, so any server can read keys and answer; NODE_EXTRA_CA_CERTS adds an authority'
    : undefined
}
