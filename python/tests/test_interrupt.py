"""Ctrl-C, progress and other threads. No test looks at a clock: searches here end by a signal or a callback, or never."""

import os
import signal
import sys
import threading
import time
import unittest

import tilewright
from tilewright import _core

# Nothing but a signal ends this search.
ENDLESS = {"mapper": "random", "victory": 0}


def endless(progress, **more):
    network = tilewright.Network("resnet18", layers="conv1")
    return tilewright.map(network, "eyeriss", progress=progress, **ENDLESS, **more)


class Beating:
    """A thread that counts, and lets the others run after each beat."""

    def __enter__(self):
        self.count = 0
        self.over = False
        self.thread = threading.Thread(target=self.beat)
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(1000.0)  # nobody runs but where the one that runs lets others
        self.thread.start()
        return self

    def beat(self):
        while not self.over:
            self.count += 1
            time.sleep(0)

    def __exit__(self, *_):
        self.over = True
        sys.setswitchinterval(self.interval)
        self.thread.join()


class OtherThreads(unittest.TestCase):
    def test_run_while_any_work_is_done(self):
        """Each of these held the interpreter once: no beat came between its begin and its end."""
        network = tilewright.Network("resnet50")._core
        machine = tilewright.Architecture("eyeriss")._core
        core = tilewright.map("resnet50", "eyeriss")._core
        mappings, document = core.mapping_file(), core.json()
        first = network.select(["conv1"])
        one = tilewright.map(tilewright.Network("resnet50", layers="conv1"), "eyeriss")._core.mapping_file()
        works = {
            "evaluate": lambda: _core.evaluate(network, machine, None, mappings, "exact", False, [], ""),
            "compare": lambda: _core.compare(first, machine, None, one, ["exact", "timeloop"], []),
            "page": lambda: _core.page([document]),
            "pictures": lambda: _core.pictures([document], "roofline"),
            "json": core.json,
            "text": core.text,
            "network": lambda: _core.named_network("resnet50", {}, ""),
            "machine": lambda: _core.named_architecture("simba"),
        }
        for name, work in works.items():
            with self.subTest(name), Beating() as beating:
                self.assertTrue(any(self.beats_during(work, beating) for _ in range(1000)), name)

    @staticmethod
    def beats_during(work, beating):
        before = beating.count
        work()
        return beating.count > before



class Interrupts(unittest.TestCase):
    def setUp(self):
        self.seen = []

    def signal_once_found(self, progress):
        self.seen.append(progress)
        if progress.energy_pj is not None and not any(one.energy_pj for one in self.seen[:-1]):
            os.kill(os.getpid(), signal.SIGINT)

    def test_ctrl_c_raises_with_the_best_so_far(self):
        with self.assertRaises(tilewright.Interrupted) as caught:
            endless(self.signal_once_found)
        result = caught.exception.result
        self.assertTrue(result.interrupted)
        self.assertGreater(result.energy_pj, 0.0)
        self.assertIsInstance(caught.exception, KeyboardInterrupt)

    def test_ctrl_c_returns_the_best_so_far_where_that_is_asked_for(self):
        result = endless(self.signal_once_found, on_interrupt="keep")
        self.assertTrue(result.interrupted)
        self.assertFalse(result.layers[0].proven)
        self.assertEqual(self.seen[0].event, "begins")
        self.assertEqual(self.seen[0].layer, "conv1")

    def test_what_a_callback_raises_ends_the_search(self):
        def stop(progress):
            raise LookupError("seen enough")
        self.assertRaisesRegex(LookupError, "seen enough", endless, stop)

    def test_what_a_handler_of_the_user_raises_ends_the_search(self):
        def handler(number, frame):
            raise LookupError("the user's own")
        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        self.assertRaisesRegex(LookupError, "the user's own", endless,
                               lambda progress: progress.event == "searches" and os.kill(os.getpid(), signal.SIGUSR1))

    def test_other_threads_run_while_a_search_does(self):
        ran = threading.Event()
        other = threading.Thread(target=ran.set)
        stops = []

        def start(progress):
            if progress.event == "searches" and not other.ident:
                other.start()
            if ran.is_set() and not stops:  # a second one could arrive after the search, and end the tests
                stops.append(True)
                os.kill(os.getpid(), signal.SIGINT)
        endless(start, on_interrupt="keep")
        self.assertTrue(ran.is_set())
        other.join()

    def test_ctrl_c_is_python_s_after_solves_side_by_side(self):
        """The solver of --mapper cosa once put back each other's handlers, and Ctrl-C was lost for good."""
        tilewright.map("resnet18", "simba-cosa", mapper="cosa", threads=8)
        with self.assertRaises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)  # it comes at once

    def test_progress_tells_every_layer(self):
        events = []
        tilewright.map("alexnet", "eyeriss", progress=lambda one: events.append((one.event, one.layer, one.done, one.total)))
        self.assertEqual(sum(event == "ends" for event, *_ in events), events[0][3])
        self.assertEqual(max(done for _, _, done, _ in events), events[0][3])

    def test_searches_of_several_threads_at_once(self):
        answers = {}

        def work(arch):
            answers[arch] = tilewright.map("alexnet", arch).to_json()
        threads = [threading.Thread(target=work, args=(arch,)) for arch in ("eyeriss", "simba")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for arch, answer in answers.items():
            self.assertEqual(answer, tilewright.map("alexnet", arch).to_json())


if __name__ == "__main__":
    unittest.main()
