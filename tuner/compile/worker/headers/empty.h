namespace std {}
