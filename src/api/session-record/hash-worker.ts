/** The program of the thread that hashes long records: it answers every order once it is carried out. */
import { parentPort, workerData } from 'node:worker_threads'
import { createHashOrderTaker, type HashOrder } from './hash-orders.ts'

const take = createHashOrderTaker(workerData as SharedArrayBuffer)

parentPort?.on('message', (order: HashOrder) => parentPort?.postMessage(take(order)))
