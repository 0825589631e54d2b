import type { ConnectionOptions } from '@temporalio/client'

/** What is wrong with a connection, and what to do. `TemporalTlsFailed`: it stays until a person changes something. */
export interface ConnectionMistake {
  readonly code: 'TemporalTlsFailed' | 'TemporalUnavailable'
  readonly reason: string
  readonly next: string
}

interface Mistake {
  /** The words of OpenSSL and Node for it, and those of the native connection of a worker. */
  readonly words: RegExp
  readonly reason: string
  readonly next: string
}

const certificateFiles = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH'

const mistakes: readonly Mistake[] = [
  {
    words: /wrong version number|packet length too long|InvalidContentType/i,
    reason: 'it does not speak TLS there',
    next: 'Name the port for TLS in TEMPORAL_ADDRESS. For a server without TLS, remove the TEMPORAL_TLS variables and TEMPORAL_API_KEY.',
  },
  {
    words: /no application protocol|NoApplicationProtocol/i,
    reason: 'what answers there with TLS is not gRPC',
    next: 'Name the gRPC address of a Temporal server in TEMPORAL_ADDRESS.',
  },
  {
    words: /ALTNAME_INVALID|NotValidForName/,
    reason: 'its certificate is for another host',
    next: 'Use a host of the certificate in TEMPORAL_ADDRESS, or set TEMPORAL_TLS_SERVER_NAME to one.',
  },
  {
    words: /certificate has expired|not yet valid|InvalidCertificate\((Expired|NotValidYet)/i,
    reason: 'its certificate is not valid at this time',
    next: 'Renew the certificate of the server, or correct the clock of this machine.',
  },
  {
    words: /CaUsedAsEndEntity/,
    reason: 'its certificate is that of an authority, which workers do not accept',
    next: 'Give the server a certificate that its authority has signed.',
  },
  {
    words: /self-signed|unable to (verify|get)|UnknownIssuer/i,
    reason: 'its certificate is of an authority that this machine does not trust',
    next: 'Set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the file with the certificate of the authority.',
  },
  {
    words: /key values mismatch|KeyMismatch|no start line|bad base64|asn1/i,
    reason: 'the certificate and the key of this client cannot be used together',
    next: `Check the files of ${certificateFiles}.`,
  },
]

/** The server refuses the client in the handshake. */
const refused =
  /alert (certificate|unknown ca|bad certificate|unsupported certificate|access denied|handshake failure)|(fatal alert: |AlertReceived\()(\w*Certificate\w*|UnknownCA|AccessDenied|HandshakeFailure)/i

/** The server ends the connection without a word, or before its last word is read. */
const ended = /Failed to connect|Protocol error|ECONNRESET|EPIPE|socket hang up|hyper::Error/

/** What the connection was to be made with. */
type Settings = Pick<ConnectionOptions, 'tls' | 'apiKey'>

/** The mistake behind the words that a library has for a failed connection; undefined: another one, or none. */
export function findMistake(words: string, settings: Settings): ConnectionMistake | undefined {
  const found = mistakes.find((one) => one.words.test(words))
  if (found) {
    const host = /altnames: (.*?)(\. Resolution note.*)?$/m.exec(words)?.[1]
    const reason = host === undefined ? found.reason : `${found.reason}: ${host}`
    return { code: 'TemporalTlsFailed', reason, next: found.next }
  }
  const { does, next } = likely(settings)
  if (refused.test(words)) return { code: 'TemporalTlsFailed', reason: `it ${does}`, next }
  // A server that is about to start ends connections, too.
  const reason = `it ends the connection, which can mean that it ${does}`
  return ended.test(words) ? { code: 'TemporalUnavailable', reason, next } : undefined
}

/** Why a server ends a connection with these settings. */
function likely({ tls, apiKey }: Settings): { readonly does: string; readonly next: string } {
  if (!(tls ?? apiKey))
    return {
      does: 'requires TLS',
      next: 'If it does, set TEMPORAL_TLS=true. Otherwise check that TEMPORAL_ADDRESS is the gRPC address of a running server.',
    }
  if (typeof tls === 'object' && tls?.clientCertPair)
    return { does: 'refuses the certificate of this client', next: `Check the files of ${certificateFiles}.` }
  return { does: 'requires a certificate of the client', next: `Set ${certificateFiles}.` }
}
