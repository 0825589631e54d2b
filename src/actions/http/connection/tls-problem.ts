import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { TlsOptions } from '../../../api/http/index.ts'

const certificates = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs

/** What is wrong with the certificates and the key of a connection. A TLS library would find it with the first request. */
export function tlsProblem({ ca, cert, key }: TlsOptions): string | undefined {
  if (ca !== undefined && readCertificate(ca) === undefined) return 'tls.ca holds no certificate in PEM'
  if (cert === undefined || key === undefined) return undefined
  const certificate = readCertificate(cert)
  if (certificate === undefined) return 'tls.cert holds no certificate in PEM'
  const privateKey = readKey(key)
  if (privateKey === undefined) return 'tls.key holds no private key in PEM without a passphrase'
  return certificate.checkPrivateKey(privateKey) ? undefined : 'tls.key does not belong to tls.cert'
}

/** The first of several, if all can be read. */
function readCertificate(pem: string): X509Certificate | undefined {
  try {
    return pem.match(certificates)?.map((one) => new X509Certificate(one))[0]
  } catch {
    return undefined
  }
}

function readKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
