import { once } from 'node:events'
import { createServer } from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { connectClient, type TemporalSettings } from '../../../src/engine/temporal/connection.ts'
import { connectWorker } from '../../../src/engine/temporal/worker/connect-worker.ts'
import { selfSigned } from '../../api/self-signed.ts'
import { signedCertificate } from '../../support/signed-certificate.ts'

const authority = Buffer.from(signedCertificate.authority)
const trusting = { serverRootCACertificate: authority }
const clientCertPair = { crt: Buffer.from(selfSigned.cert), key: Buffer.from(selfSigned.key) }
const asking = { ...signedCertificate, ca: authority, requestCert: true, rejectUnauthorized: true }
const overTls = (): Server => http2.createSecureServer(signedCertificate)
const failed = /^TemporalTlsFailed$/
const unavailable = /^TemporalUnavailable$/
/** With TLS 1.3 the server ends the connection after the handshake: its reason is not always read. */
const either = /^Temporal(TlsFailed|Unavailable)$/

interface Case {
  readonly about: string
  readonly server: () => Server
  readonly host?: string
  readonly tls?: TemporalSettings['tls']
  readonly code: RegExp
  readonly says: RegExp
  readonly next: RegExp
}

const cases: readonly Case[] = [
  {
    about: 'a server that requires a certificate, with TLS 1.3',
    server: () => http2.createSecureServer(asking),
    tls: trusting,
    code: either,
    says: /requires a certificate of the client/,
    next: /Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH/,
  },
  {
    about: 'the same with TLS 1.2',
    server: () => http2.createSecureServer({ ...asking, maxVersion: 'TLSv1.2' }),
    tls: trusting,
    code: failed,
    says: /requires a certificate of the client/,
    next: /Set TEMPORAL_TLS_CLIENT_CERT_PATH/,
  },
  {
    about: 'a certificate that the server refuses, with TLS 1.3',
    server: () => http2.createSecureServer(asking),
    tls: { ...trusting, clientCertPair },
    code: either,
    says: /refuses the certificate of this client/,
    next: /Check the files of TEMPORAL_TLS_CLIENT_CERT_PATH/,
  },
  {
    about: 'an address that the certificate does not name',
    server: overTls,
    host: '127.0.0.2',
    tls: trusting,
    code: failed,
    says: /its certificate is for another host/,
    next: /TEMPORAL_TLS_SERVER_NAME/,
  },
  {
    about: 'a name that the certificate does not have',
    server: overTls,
    tls: { ...trusting, serverNameOverride: 'other.example' },
    code: failed,
    says: /its certificate is for another host/,
    next: /TEMPORAL_TLS_SERVER_NAME/,
  },
  {
    about: 'an own authority',
    server: overTls,
    tls: {},
    code: failed,
    says: /an authority that this machine does not trust/,
    next: /TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  },
  {
    about: 'another authority',
    server: overTls,
    tls: { serverRootCACertificate: Buffer.from(selfSigned.cert) },
    code: failed,
    says: /an authority that this machine does not trust/,
    next: /TEMPORAL_TLS_SERVER_CA_CERT_PATH/,
  },
  {
    about: 'TLS at a port without it',
    server: () => http2.createServer(),
    tls: {},
    code: failed,
    says: /\(with TLS\): it does not speak TLS there/,
    next: /remove the TEMPORAL_TLS variables and TEMPORAL_API_KEY/,
  },
  {
    about: 'no TLS at a port with it',
    server: overTls,
    code: unavailable,
    says: /\(without TLS\): it ends the connection, which can mean that it requires TLS/,
    next: /set TEMPORAL_TLS=true/,
  },
  {
    about: 'a web server with TLS',
    server: () => https.createServer(signedCertificate),
    tls: trusting,
    code: failed,
    says: /what answers there with TLS is not gRPC/,
    next: /TEMPORAL_ADDRESS/,
  },
  {
    about: 'a web server',
    server: () => createServer((_, response) => response.end()),
    code: unavailable,
    says: /it ends the connection/,
    next: /check that TEMPORAL_ADDRESS is the gRPC address/,
  },
  {
    about: 'a key of another certificate',
    server: overTls,
    tls: { ...trusting, clientCertPair: { ...clientCertPair, key: Buffer.from(signedCertificate.key) } },
    code: failed,
    says: /the certificate and the key of this client cannot be used together/,
    next: /Check the files of TEMPORAL_TLS_CLIENT_CERT_PATH/,
  },
]

it.each(cases)('$about is named, for commands and for workers', async (given) => {
  const server = given.server().listen(0, '0.0.0.0')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const settings = {
    address: `${given.host ?? 'localhost'}:${port}`,
    namespace: 'default',
    taskQueue: 'any',
    ...(given.tls === undefined ? {} : { tls: given.tls }),
  }
  for (const connect of [connectClient, connectWorker])
    await expect(connect(settings)).rejects.toMatchObject({
      code: expect.stringMatching(given.code),
      message: expect.stringMatching(given.says),
      next: expect.stringMatching(given.next),
    })
})
