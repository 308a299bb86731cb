import socket

from pipefl.data.hosts import Hosts
from small_web import small_web, unused_address


def test_a_host_that_answers_is_of_use_even_if_it_has_no_such_page() -> None:
    with small_web() as site:
        assert Hosts().against(f"{site.address}/file") is None


def test_a_closed_door_is_told() -> None:
    assert Hosts().against(f"{unused_address()}/file") == "it cannot be reached"


def test_hosts_that_say_nothing_are_not_asked_again() -> None:
    hosts = Hosts(patience_s=0.2)
    with socket.create_server(("127.0.0.1", 0)) as deaf, small_web() as site:
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        hosts.ask([f"{address}/a", f"{site.address}/a"])
        connection, _ = deaf.accept()
        connection.close()
        deaf.setblocking(False)
        assert hosts.against(f"{address}/b") == "no answer"
        assert hosts.against(f"{site.address}/b") is None
        assert hosts.reasons == {address[7:]: "no answer", site.address[7:]: None}
        try:
            deaf.accept()
        except BlockingIOError:
            return
        raise AssertionError("the host was asked a second time")


def test_a_host_that_was_given_up_stays_so() -> None:
    hosts = Hosts()
    with small_web() as site:
        hosts.give_up(f"{site.address}/a", "no answer")
        assert hosts.against(f"{site.address}/b") == "no answer"
