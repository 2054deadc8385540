// SPDX-License-Identifier: Apache-2.0

import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URL;

/**
 * Client.java PORT UP4 UP6 NAME NO4 NO6: one line each for HTTP, sockets and datagrams: what
 * the five answered, or the message and whether the best of ten refusals took less than 5 ms.
 * Then whether the loopback interface is listed.
 */
public class Client {
	interface Go {
		String at(String host) throws Exception;
	}

	static int port;

	static String get(String host) throws Exception {
		String name = host.contains(":") ? "[" + host + "]" : host;
		var c = (HttpURLConnection) new URL("http://" + name + ":" + port + "/").openConnection();
		c.setConnectTimeout(5000);
		return new String(c.getInputStream().readAllBytes()).trim();
	}

	static String dial(String host) throws Exception {
		try (Socket s = new Socket(host, port)) {
			s.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes());
			byte[] data = new byte[1000];
			String[] lines = new String(data, 0, s.getInputStream().read(data)).trim().split("\n");
			return lines[lines.length - 1];
		}
	}

	static String send(String host) throws Exception {
		try (DatagramSocket s = new DatagramSocket()) {
			s.setSoTimeout(5000);
			// Without it Java takes ECONNREFUSED for an old answer and sends again, for ever.
			s.connect(InetAddress.getByName(host), port);
			byte[] data = "ping".getBytes();
			s.send(new DatagramPacket(data, data.length));
			var answer = new DatagramPacket(new byte[100], 100);
			s.receive(answer);
			return new String(answer.getData(), 0, answer.getLength());
		}
	}

	static String best(Go go, String host) {
		String said = "";
		long least = Long.MAX_VALUE;
		for (int i = 0; i < 10; i++) {
			long begin = System.nanoTime();
			try {
				return go.at(host);
			} catch (Exception e) {
				said = e.getMessage().replaceAll(".*Connection refused.*", "refused");
			}
			least = Math.min(least, System.nanoTime() - begin);
		}
		return said + " " + (least < 5_000_000);
	}

	public static void main(String[] args) throws Exception {
		port = Integer.parseInt(args[0]);
		for (Go go : new Go[] {Client::get, Client::dial, Client::send}) {
			var line = new StringBuilder();
			for (int i = 1; i < args.length; i++)
				line.append(i > 1 ? " " : "").append(best(go, args[i]));
			System.out.println(line);
		}
		System.out.println(NetworkInterface.networkInterfaces().anyMatch(i -> i.getName().equals("lo")));
	}
}
